"""Makes a failing list short."""


def shorter(items, fails, tries):
    """Drops halves, quarters, single items while the rest still fails."""
    size = max(1, len(items) // 2)
    while tries > 0:
        at, dropped = 0, False
        while at < len(items) and tries > 0:
            tries -= 1
            fewer = items[:at] + items[at + size:]
            if fails(fewer):
                items, dropped = fewer, True
            else:
                at += size
        if size == 1 and not dropped:
            break
        size = max(1, size // 2)
    return items
