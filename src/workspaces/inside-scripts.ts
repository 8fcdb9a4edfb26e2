/** What runs behind the walls of an attempt, as scripts for `sh`: several git commands in one set of walls, which costs
 *  as much as three of them. $TREE is the worktree, $LENS the repository through which git sees it, $BRANCH its
 *  branch. */

/** Where git does not work on refs and index of the run itself, the lens gets copies. An index also says which trees
 *  its folders are, and git believes that rather than look at their files; `doubt` makes it forget. */
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
  [ -e "$GIT_DIR/index" ] || return 0
  git ls-files --stage -z > "$LENS/entries"
  sed -zn 's/^[^\t]* 0\t//p' "$LENS/entries" | git update-index --no-assume-unchanged -z --stdin
}
weigh() {
  sum=0
  git ls-files "$@" -z --exclude-standard > "$LENS/weighed"
  [ ! -s "$LENS/weighed" ] || for bytes in $(xargs -0 stat -c %s -- < "$LENS/weighed" 2>/dev/null || :); do
    sum=$((sum + bytes))
  done
}
`;

const PRELUDE = `${TOOLS}bring "$COPIED"\n`;

/** One command. */
export const COMMAND = `${PRELUDE}doubt; exec git "$@"`;

/** Adds files to the index: `--all`, or with `--update` those that are in it. git must not look into a repository or a
 *  filled submodule inside, where an agent may have left a configuration that runs programs: submodules are recorded
 *  without, repositories left out unless $NESTED. What only looks changed (the user's own git knows the files by other
 *  ids) is found out first: added, each would be stored again. */
const STAGE = String.raw`
filled() {
  : > "$LENS/filled"
  [ ! -e "$LENS/entries" ] || ! grep -zq '^160000 ' "$LENS/entries" || grep -z '^160000 ' "$LENS/entries" |
    cut -z -f 2- | xargs -0 -n 1 sh -c '[ -z "$(ls -A -- "$0" 2>/dev/null)" ] || printf "%s\0" "$0"' > "$LENS/filled"
}
without() { sed -z 's:^:\:(exclude,literal):'; }
stage() {
  filled
  printf '.\0' > "$LENS/paths"
  [ ! -s "$LENS/filled" ] || without < "$LENS/filled" >> "$LENS/paths"
  if [ "$1" = --all ] && [ -z "$NESTED" ]; then
    git ls-files --others -z --exclude-standard > "$LENS/others"
    ! grep -zq '/$' "$LENS/others" || grep -z '/$' "$LENS/others" | sed -z 's:/$::' | without >> "$LENS/paths"
  fi
  git update-index -q --refresh > "$LENS/refreshed" 2>&1 || :
  GIT_LITERAL_PATHSPECS=0 git add "$1" --pathspec-from-file="$LENS/paths" --pathspec-file-nul
  [ ! -s "$LENS/filled" ] || git update-index -z --stdin < "$LENS/filled"
}
`;

/** Steps that a look can begin with, on refs and index of the run. commit_all ends with 3 where there is nothing to
 *  commit, HEAD has left the branch, or a merge has unresolved conflicts. */
const STEPS = String.raw`
refresh() { git update-index -q --refresh 2>&1 || :; }
commit_all() {
  IFS= read -r at < .git/HEAD || :
  [ "$at" = "ref: refs/heads/$BRANCH" ] || return 3
  git ls-files --unmerged > "$LENS/unmerged"
  [ ! -s "$LENS/unmerged" ] || return 3
  doubt
  stage --all
  ! git diff --cached --quiet --no-ext-diff --no-textconv || return 3
  git commit --quiet --no-verify --cleanup=verbatim --file=-
}
`;

/** Says how the worktree stands and hands out what the store lacks. $WANT: refs, status, work or all; $KNOWN: commits
 *  that the store has; $HEAD: the tip that it had last time. Arguments: a command that comes first, on what the run
 *  owns, and may end with one of the codes in $ACCEPT. Standard input: what that reads; else names of files of
 *  repositories inside. */
export const LOOK = String.raw`${TOOLS}${STAGE}${STEPS}
say() { printf '%s %s\n' "$1" "$2"; }
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
  filled
  git status --porcelain -z --untracked-files=normal --ignore-submodules=dirty > "$LENS/status"
  if [ -s "$LENS/status" ] || [ -s "$LENS/filled" ]; then dirty=yes; say dirty yes; fi
fi
if [ "$WANT" = all ] || { [ "$WANT" = work ] && [ -n "$dirty" ]; }; then
  weigh --modified --others
  if [ "$sum" -gt "$MOST" ]; then say large "$sum"; else
    staged=$(git write-tree 2>/dev/null || :)
    if [ -n "$NESTED" ]; then
      cat > "$LENS/names"
      if [ -s "$LENS/names" ]; then
        git update-index --add --replace -z --stdin < "$LENS/names"
        git ls-files --stage -z > "$LENS/entries"
      fi
    fi
    stage --all
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
export const STAGE_ALL = `${PRELUDE}${STAGE}NESTED=yes; doubt; stage --all`;

/** Removes the state of a rebase. */
export const CLEAR = `${PRELUDE}rm -rf .git/rebase-merge .git/rebase-apply`;

/** Runs git with $SHOWN naming the files of the index as they would be committed: whatever an index claims of a file,
 *  what is compared is what a commit would hold. Standard input names files that are added to them; with $LIST it is
 *  not read, and names of files that are not in the index come first, an empty one behind them. */
export const SHOW = String.raw`${PRELUDE}${STAGE}
doubt
weigh --modified
[ "$sum" -le "$MOST" ] || { echo 'too large to be compared' >&2; exit 1; }
if [ -n "$LIST" ]; then git ls-files --others -z --exclude-standard; printf '\0'; fi
stage --update
[ -n "$LIST" ] || git update-index --add --remove --replace -z --stdin
git update-ref "$SHOWN" "$(git write-tree)"
GIT_INDEX_FILE="$LENS/none" exec git "$@"
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
