#!/bin/sh
# Runs once, while the image is built, with a network: installs the compiler.
set -eu
apt-get update
apt-get install -y python3 python3-venv python3-pip
source=${AUTOGRADER:-/autograder}/source
chmod 755 "$source/checker"
chmod 600 "$source/seed"
WARPBOOK_HOME="$source/home" "$source/checker" sass "$source/workbook/exercises/@FIRST@/starter.cu" --stats --quiet
