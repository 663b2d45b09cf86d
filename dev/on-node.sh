# sh dev/on-node.sh SCRIPT [--node 24|26|/path/to/node] [arguments of the script]
# Runs a script, and all that it starts, on another Node.js than the one at hand: on that of the image, unless told otherwise.
command=$(node "${0%.sh}.mjs" "$@") && eval "exec $command"
