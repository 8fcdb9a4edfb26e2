import { useKeptText } from '../parts/tab-state.js';

/** A remark on a line of the diff. */
export interface Comment {
  path: string;
  line: number;
  quote: string;
  text: string;
}

/** Comments of an attempt that are not sent yet; kept like all typed text. */
export function useComments(attempt_id: string) {
  const [stored, store] = useKeptText(`comments:${attempt_id}`);
  const comments = stored ? (JSON.parse(stored) as Comment[]) : [];
  const keep = (next: Comment[]) => store(next.length ? JSON.stringify(next) : '');
  return {
    comments,
    add: (comment: Comment) => keep([...comments, comment]),
    remove: (index: number) => keep(comments.filter((_, at) => at !== index)),
    clear: () => keep([]),
  };
}

/** One follow-up with all comments and their places. */
export function promptOf(comments: readonly Comment[]): string {
  const parts = comments.map(({ path, line, quote, text }) => `${path}:${line}\n> ${quote}\n${text}`);
  return `Please address these review comments:\n\n${parts.join('\n\n')}`;
}
