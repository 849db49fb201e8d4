#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs a compiler, through ccache when that is installed. The command lines of the build do not
# depend on it, so installing ccache later compiles nothing anew. Depend mode saves the
# preprocessor's run that ccache otherwise adds to each file that it does not know. Paths below the
# root of the tree count as relative ones, so that other checkouts and clones find the results.
# usage: cached.sh COMPILER OPTION...
if command -v ccache >/dev/null; then
  CCACHE_DEPEND=1 CCACHE_BASEDIR=${0%/cmake/*} exec ccache "$@"
fi
exec "$@"
