# Sourced by quickstart and check: installs what is missing, quietly, and builds a preset.

say() { printf '\033[1m==> %s\033[0m\n' "$*"; }

as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi; }

# install_packages PACKAGE...: only those that dpkg does not know as installed.
install_packages() {
  local missing=() package
  for package in "$@"; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' ||
      missing+=("$package")
  done
  [ ${#missing[@]} = 0 ] && return 0
  say "installing ${#missing[@]} packages: ${missing[*]}"
  as_root apt-get update -qq
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
    "${missing[@]}" >/dev/null
}

install_build_packages() {
  # shellcheck disable=SC2046
  install_packages $(grep -v '^#' "$root/scripts/packages.txt")
}

install_node() {
  command -v node >/dev/null && command -v npm >/dev/null && return 0
  install_packages nodejs npm
}

# build PRESET [TARGET...]
build() {
  local preset=$1
  shift
  cmake --preset "$preset" >"$root/build/$preset.configure.log" 2>&1 ||
    { cat "$root/build/$preset.configure.log"; return 1; }
  local targets=()
  [ $# = 0 ] || targets=(--target "$@")
  cmake --build --preset "$preset" "${targets[@]}" >"$root/build/$preset.build.log" 2>&1 ||
    { grep -E 'error|FAILED|undefined' -A 3 "$root/build/$preset.build.log" | head -60; return 1; }
}
