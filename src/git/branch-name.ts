const FORBIDDEN = /[\0-\x20\x7f~^:?*[\\]|\.\.|@\{|\/\/|^[-/]|[./]$/;

/** Whether git takes it for a branch, letter by letter: what names a commit in another way (`@{u}`, `main^{tree}`,
 *  `HEAD`) is none. */
export const isBranchName = (name: string): boolean =>
  name !== '' &&
  name !== '@' &&
  name !== 'HEAD' &&
  !FORBIDDEN.test(name) &&
  name.split('/').every((part) => !part.startsWith('.') && !part.endsWith('.lock'));
