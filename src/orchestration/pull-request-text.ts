import type { Attempt } from '../attempts/attempt.entity.js';

/** Below what every forge takes. */
const MAX_TITLE = 250;
const MAX_BODY = 60_000;

interface Text {
  title: string;
  body: string;
  draft: boolean;
}

/** Title and description of a pull request: those of the task where the caller gives none. Nothing that an agent
 *  said. */
export class PullRequestText {
  private constructor(readonly fields: Text) {}

  static of(
    { id, task_id }: Pick<Attempt, 'id' | 'task_id'>,
    { title, description }: { title: string; description: string | null },
  ): PullRequestText {
    const trailers = `Taskyard-Task: ${task_id}\nTaskyard-Attempt: ${id}`;
    const body = [(description ?? '').trim().slice(0, MAX_BODY), trailers].filter(Boolean).join('\n\n');
    return new PullRequestText({ title: title.trim().replace(/\s+/g, ' ').slice(0, MAX_TITLE), body, draft: false });
  }

  with({ title, body, draft }: Partial<Text>): PullRequestText {
    const { fields } = this;
    return new PullRequestText({
      title: title ?? fields.title,
      body: body ?? fields.body,
      draft: draft ?? fields.draft,
    });
  }
}
