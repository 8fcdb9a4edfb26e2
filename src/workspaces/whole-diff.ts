import { MAX_BYTES } from '../git/git.js';
import { AppError } from '../platform/errors/app-error.js';
import type { DiffRequest, DiffSlice, DiffSpan } from './artifact-host.js';
import type { Lookout } from './look.js';
import { markOf } from './marks.js';
import type { View } from './view.js';

/** What an answer of the port holds in base64. */
const SLICE_BYTES = 8 * 1024 * 1024;

const NOTHING: DiffSlice = { span: null, total_bytes: 0, content: '' };

/** A slice of all that a repository holds, as `git apply` takes it: binary files whole, names without the repository.
 *  Later slices are made anew between the same two commits. @throws AppError diff_too_large; GitError */
export async function readDiff(tools: Lookout, view: View, request: DiffRequest): Promise<DiffSlice> {
  const { repo_name, start } = request;
  const repo = view.repos.find(({ tree }) => tree.repo_name === repo_name);
  if (!repo) return NOTHING;
  const { tree, to } = repo;
  const span = request.span ?? { from: tree.base_commit, to: to ?? (await markOf(tools, tree)).commit };
  const { stdout, cut } = await tools.git.run(tree.store, diffArguments(span), { maxBytes: MAX_BYTES, cut: true });
  if (cut) throw new AppError('diff_too_large', { repo_name, max_bytes: MAX_BYTES });
  const content = stdout.subarray(start, start + SLICE_BYTES).toString('base64');
  return { span, total_bytes: stdout.length, content };
}

const diffArguments = ({ from, to }: DiffSpan): string[] => [
  ...['diff-tree', '-r', '--patch', '--binary', '--full-index', '-M'],
  ...['--no-color', '--no-ext-diff', '--no-textconv', '--submodule=short', '--src-prefix=a/', '--dst-prefix=b/'],
  from,
  to,
];
