import alert from '@primer/octicons/build/svg/alert-16.svg';
import arrowDown from '@primer/octicons/build/svg/arrow-down-16.svg';
import ask from '@primer/octicons/build/svg/question-16.svg';
import branch from '@primer/octicons/build/svg/git-branch-16.svg';
import choose from '@primer/octicons/build/svg/chevron-down-16.svg';
import check from '@primer/octicons/build/svg/check-circle-fill-16.svg';
import clock from '@primer/octicons/build/svg/clock-16.svg';
import comment from '@primer/octicons/build/svg/plus-16.svg';
import copy from '@primer/octicons/build/svg/copy-16.svg';
import dark from '@primer/octicons/build/svg/moon-16.svg';
import edit from '@primer/octicons/build/svg/pencil-16.svg';
import executors from '@primer/octicons/build/svg/cpu-16.svg';
import failed from '@primer/octicons/build/svg/x-circle-fill-16.svg';
import file from '@primer/octicons/build/svg/file-diff-16.svg';
import inbox from '@primer/octicons/build/svg/inbox-16.svg';
import leave from '@primer/octicons/build/svg/sign-out-16.svg';
import light from '@primer/octicons/build/svg/sun-16.svg';
import menu from '@primer/octicons/build/svg/kebab-horizontal-16.svg';
import merged from '@primer/octicons/build/svg/git-merge-16.svg';
import mine from '@primer/octicons/build/svg/person-16.svg';
import project from '@primer/octicons/build/svg/repo-16.svg';
import read from '@primer/octicons/build/svg/eye-16.svg';
import run from '@primer/octicons/build/svg/terminal-16.svg';
import running from '@primer/octicons/build/svg/sync-16.svg';
import search from '@primer/octicons/build/svg/search-16.svg';
import settings from '@primer/octicons/build/svg/gear-16.svg';
import stopped from '@primer/octicons/build/svg/circle-slash-16.svg';
import system from '@primer/octicons/build/svg/device-desktop-16.svg';
import think from '@primer/octicons/build/svg/light-bulb-16.svg';
import throughput from '@primer/octicons/build/svg/graph-16.svg';
import tool from '@primer/octicons/build/svg/tools-16.svg';
import web from '@primer/octicons/build/svg/globe-16.svg';
import mark from '../mark.svg';

/** By what they mean here. Octicons, under the MIT licence. */
const ICONS = {
  alert,
  arrowDown,
  ask,
  branch,
  check,
  choose,
  clock,
  comment,
  copy,
  dark,
  edit,
  executors,
  failed,
  file,
  inbox,
  leave,
  light,
  menu,
  merged,
  mine,
  project,
  read,
  run,
  running,
  search,
  settings,
  stopped,
  system,
  think,
  throughput,
  tool,
  web,
};
export type IconName = keyof typeof ICONS;

/** Beside words that say the same, and so silent. */
export const Icon = ({ name }: { name: IconName }) => (
  <span
    class={name === 'running' ? 'icon spins' : 'icon'}
    aria-hidden="true"
    dangerouslySetInnerHTML={{ __html: ICONS[name] }}
  />
);

/** The sign of the product. */
export const Mark = () => <span class="icon" aria-hidden="true" dangerouslySetInnerHTML={{ __html: mark }} />;
