import { useEffect, useRef, useState } from 'preact/hooks';
import type { AttemptStatus } from '../types.js';
import { Conversation } from './conversation.js';
import { Entry } from './entries.js';
import { JumpToLatest, useFollowing } from './following.js';
import { followLog } from './log-follower.js';
import { Outcome } from './outcome.js';

const NEWEST = 5_000;

interface ViewProps {
  status: AttemptStatus;
  project_id: string;
}

/** What was said and done, newest at the end. What came of it stands first, once it has ended. */
export function ConversationView({ status, project_id }: ViewProps) {
  const { attempt_id, state } = status;
  const { conversation, count } = useConversation(attempt_id);
  const isRunning = state === 'running';
  const following = useFollowing(isRunning, count);
  const answer = isRunning ? undefined : conversation.answer();
  const items = conversation.items.filter((item) => item !== answer);
  return (
    <>
      {(state === 'completed' || state === 'failed') && (
        <Outcome status={status} project_id={project_id} answer={answer?.content ?? null} />
      )}
      {count === 0 && <p class="quiet">Nothing was said yet.</p>}
      {items.length > 0 && (
        <ol class="conversation">
          {items.map((item) => (
            <Entry key={item.index} item={item} size={item.content.length + (item.result?.length ?? -1)} />
          ))}
        </ol>
      )}
      {isRunning && <JumpToLatest following={following} />}
    </>
  );
}

function useConversation(attempt_id: string) {
  const conversation = useRef(new Conversation());
  const [count, setCount] = useState(0);
  useEffect(() => {
    conversation.current = new Conversation();
    return followLog({ attempt_id, channel: 'normalized', newest: NEWEST }, (entries) => {
      conversation.current.append(entries);
      if (entries.length) setCount((before) => before + entries.length);
    });
  }, [attempt_id]);
  return { conversation: conversation.current, count };
}
