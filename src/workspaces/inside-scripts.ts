/** What runs behind the walls of an attempt, as scripts for `sh`: several git commands in one set of walls, which costs
 *  as much as three of them. $TREE is the worktree, $LENS the repository through which git sees it, $BRANCH its
 *  branch. */

/** Where git does not work on refs and index of the run itself, the lens gets copies. An index also says which trees
 *  its folders are and which files need no look, and git believes that; `doubt` makes it forget, and refresh what it
 *  knows of the files. */
const TOOLS = String.raw`
set -eu
cd "$TREE"
bring() {
  [ -d .git ] && [ ! -L .git ] || return 0
  names=$1
  (
    cd .git
    set --
    for name in $names; do [ ! -e "$name" ] || set -- "$@" "$name"; done
    if [ -f packed-refs ] && grep -qF " refs/heads/$BRANCH" packed-refs; then rm -f "$LENS/refs/heads/$BRANCH"; fi
    [ $# = 0 ] || cp -RpP "$@" "$LENS/"
  )
}
doubt() {
  : > "$LENS/entries"
  [ -e "$GIT_DIR/index" ] || return 0
  git ls-files --stage -z > "$LENS/entries"
  sed -zn 's/^[^\t]* 0\t//p' "$LENS/entries" |
    git update-index -q --unmerged --really-refresh --no-assume-unchanged -z --stdin
}
`;

const PRELUDE = `${TOOLS}bring "$COPIED"\n`;

/** One command. */
export const COMMAND = `${PRELUDE}doubt; exec git "$@"`;

/** Puts files into the index: with `--all` all, with `--update` those that are in it. git must not look into a
 *  repository or a submodule inside, where an agent may have left a configuration that runs programs: of submodules
 *  the commit alone is recorded, repositories are left out. A file behind a link in place of its folder is gone. What
 *  only looks changed (the user's own git knows the files by other ids) was found out by `doubt`: it would be stored
 *  again. */
const STAGE = String.raw`
list() {
  git diff-files --name-status -z --ignore-submodules=dirty > "$LENS/differing"
  sed -zn '/^D$/{n;p;b};n' "$LENS/differing" > "$LENS/gone"
  sed -zn '/^D$/{n;b};n;p' "$LENS/differing" > "$LENS/changed"
  [ "$1" = --all ] || return 0
  git ls-files --others -z --exclude-standard > "$LENS/others"
  sed -z '/\/$/d' "$LENS/others" >> "$LENS/changed"
}
weigh() {
  sum=0
  [ ! -s "$LENS/changed" ] || for bytes in $(xargs -0 stat -c %s -- < "$LENS/changed" 2>/dev/null || :); do
    sum=$((sum + bytes))
  done
}
stage() {
  [ ! -s "$LENS/gone" ] || git update-index --force-remove -z --stdin < "$LENS/gone"
  [ ! -s "$LENS/changed" ] || git update-index --add --remove --replace -z --stdin < "$LENS/changed"
}
is_staged() { ! git diff --cached --quiet --no-ext-diff --no-textconv; }
`;

/** Steps that a look can begin with, on refs and index of the run. commit_all ends with 3 where there is nothing to
 *  commit, HEAD has left the branch, or a merge has unresolved conflicts. */
const STEPS = String.raw`
refresh() { [ ! -e "$GIT_DIR/index" ] || git update-index -q --refresh --force-write-index 2>&1 || :; }
commit_all() {
  IFS= read -r at < .git/HEAD || :
  [ "$at" = "ref: refs/heads/$BRANCH" ] || return 3
  doubt
  ! grep -zq '^[0-7]* [0-9a-f]* [123]' "$LENS/entries" || return 3
  list --all
  stage
  is_staged || return 3
  git commit --quiet --no-verify --cleanup=verbatim --file=-
}
`;

/** Says how the worktree stands and hands out what the store lacks. $WANT: refs, status, work or all; $KNOWN: commits
 *  that the store has; $HEAD: the tip that it had last time. Arguments: a command that comes first, on what the run
 *  owns, and may end with one of the codes in $ACCEPT. Standard input: what that reads; else names of files of
 *  repositories inside. */
export const LOOK = String.raw`${TOOLS}${STAGE}${STEPS}
say() { printf '%s %s\n' "$1" "$2"; }
filled() {
  grep -zq '^160000 ' "$LENS/entries" || return 1
  grep -z '^160000 ' "$LENS/entries" | cut -z -f 2- | xargs -0 -r -n 1 sh -c 'ls -A -- "$0" 2>/dev/null' | grep -q .
}
if [ $# != 0 ]; then
  bring shallow
  set +e
  (set -e; GIT_DIR="$TREE/.git"; GIT_OBJECT_DIRECTORY="$GIT_DIR/objects"; "$@") > "$LENS/first"
  code=$?
  set -e
  case " $ACCEPT " in *" $code "*) say code $code ;; *) exit $code ;; esac
fi
bring "$COPIED"
first() { got=; if [ -f "$1" ]; then IFS= read -r got < "$1" || :; fi; }
commit() { git rev-parse --verify --quiet --end-of-options "$1^{commit}" || :; }
ends=
tell() { first "$1"; [ ! -f "$1" ] || { say "$2" "$got"; ends="$ends $(commit "$got")"; }; }

first "$LENS/HEAD"; at=$got
first "$LENS/refs/heads/$BRANCH"; head=$got
case $head in ''|ref:*) head=$(commit "refs/heads/$BRANCH") ;; esac
tip=$head
[ "$at" = "ref: refs/heads/$BRANCH" ] || tip=$(commit HEAD)
others=
[ "$WANT" != all ] || others=$(git for-each-ref --count=200 --format='%(objectname)' refs/heads refs/stash | sort -u)
say at "$at"; say head "$head"; say tip "$tip"; say others "$(echo $others)"

for folder in rebase-merge rebase-apply; do
  [ ! -d ".git/$folder" ] || {
    say operation rebase
    tell ".git/$folder/onto" onto; tell ".git/$folder/msgnum" done; tell ".git/$folder/end" total
    tell ".git/$folder/stopped-sha" stopped; tell .git/REBASE_HEAD stopped
    ! grep -qE '^[[:space:]]*(x|exec)[[:space:]]' ".git/$folder/git-rebase-todo" 2>/dev/null || say commands yes
  }
done
for mark in MERGE_HEAD CHERRY_PICK_HEAD REVERT_HEAD BISECT_LOG; do
  tell ".git/$mark" "$mark"
done

files=; staged=; dirty=
[ -n "$COPIED" ] || [ -z "$head" ] || git read-tree "$head"
if [ "$WANT" != refs ]; then
  doubt
  list --all
  if [ -s "$LENS/differing" ] || [ -s "$LENS/others" ] || is_staged || filled; then dirty=yes; say dirty yes; fi
fi
if [ "$WANT" = all ] || { [ "$WANT" = work ] && [ -n "$dirty" ]; }; then
  weigh
  if [ "$sum" -gt "$MOST" ]; then say large "$sum"; else
    [ "$WANT" != all ] || staged=$(git write-tree 2>/dev/null || :)
    stage
    [ -z "$NESTED" ] || git update-index --add --replace -z --stdin
    files=$(git write-tree)
    say files "$files"; [ -z "$staged" ] || say staged "$staged"
  fi
fi
echo
if [ "$head" != "$HEAD" ] || [ "$tip" != "$head" ] || [ -n "$files$ends" ]; then
  printf '%s\n' $head $tip $ends $others $files $staged --not $KNOWN |
    git pack-objects --revs --stdout --thin --delta-base-offset --quiet
fi
`;

/** All files into the index of the run. */
export const STAGE_ALL = `${PRELUDE}${STAGE}doubt; list --all; stage`;

/** Removes the state of a rebase. */
export const CLEAR = `${PRELUDE}rm -rf .git/rebase-merge .git/rebase-apply`;

/** Runs git with an index of the files as they would be committed: whatever the run's own claims of a file, what is
 *  compared is what a commit would hold. It sees no files, since it would read one that looks unchanged instead of what
 *  was committed. Standard input names files that are added to the index; with $LIST it is not read, and names of files
 *  that are not in it come first, an empty one behind them. */
export const SHOW = String.raw`${PRELUDE}${STAGE}
doubt
list --update
weigh
[ "$sum" -le "$MOST" ] || { echo 'too large to be compared' >&2; exit 1; }
if [ -n "$LIST" ]; then git ls-files --others -z --exclude-standard; printf '\0'; fi
stage
[ -n "$LIST" ] || git update-index --add --remove --replace -z --stdin
mkdir "$LENS/empty"
cd "$LENS/empty"
GIT_WORK_TREE=$LENS/empty exec git "$@"
`;

/** Files of one tree with the index of another; the index comes last, for it says that the worktree is whole. */
export const REFILL = String.raw`${PRELUDE}
export GIT_INDEX_FILE="$TREE/.git/index-rebuilt"
rm -f "$GIT_INDEX_FILE"
git read-tree --reset -u "$1"
git read-tree -m "$2"
mv "$GIT_INDEX_FILE" .git/index
`;

/** Hands out a file of Git LFS, by its id. */
export const LARGE_FILE = String.raw`
name=$(printf '%s' "$1" | sed 's:^\(..\)\(..\):\1/\2/&:')
for folder in "$TREE/.git/lfs/objects" "$LENDER"; do
  [ ! -f "$folder/$name" ] || exec cat "$folder/$name"
done
`;

/** Renames the branch of the run; whoever is on it stays on it. */
export const RENAME = String.raw`${PRELUDE}
IFS= read -r at < .git/HEAD || :
git update-ref "refs/heads/$2" "$(git rev-parse --verify --quiet "refs/heads/$1^{commit}")" ''
[ "$at" != "ref: refs/heads/$1" ] || git symbolic-ref HEAD "refs/heads/$2"
git update-ref -d "refs/heads/$1"
`;
