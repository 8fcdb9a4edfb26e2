import { useRef, useState } from 'preact/hooks';
import { ApiError } from './api.js';
import { toast } from './parts/toast.js';
import { keyOfSent, sentIsAnswered } from './parts/draft.js';

export interface Action<A extends unknown[]> {
  run: (...args: A) => void;
  isRunning: boolean;
  error: ApiError | null;
}

/** What a form sends, so that it is done once even if its answer is lost and the page reloaded. */
interface Sent {
  form: string;
  content: string;
}

/** An action of a button: one at a time, with its refusal kept to be shown.
 *  @param act takes an idempotency key, which stays the same until the server has answered, so that a request whose
 *  answer was lost is not done twice
 *  @param done is said to whoever pressed it */
export function useAction<A extends unknown[]>(
  act: (key: string, ...args: A) => Promise<unknown>,
  done?: string,
  sent?: Sent,
): Action<A> {
  const [isRunning, setRunning] = useState(false);
  const [error, setError] = useState<ApiError | null>(null);
  const key = useRef('');
  const isBusy = useRef(false); // at once, where the state waits for the next drawing
  const answered = () => {
    key.current = '';
    if (sent) sentIsAnswered(sent.form);
  };
  const run = async (...args: A) => {
    if (isBusy.current) return;
    isBusy.current = true;
    setRunning(true);
    setError(null);
    key.current = sent ? keyOfSent(sent.form, sent.content) : key.current || crypto.randomUUID();
    try {
      await act(key.current, ...args);
      answered();
      if (done) toast(done);
    } catch (cause) {
      if (!(cause instanceof ApiError)) throw cause;
      if (isAnswer(cause)) answered();
      setError(cause.status === 0 ? unheard(cause) : cause);
    } finally {
      isBusy.current = false;
      setRunning(false);
    }
  };
  return { run: (...args) => void run(...args), isRunning, error };
}

/** The same for what is saved as it is chosen: whatever is chosen meanwhile is saved next. */
export function useActionInTurn<A extends unknown[]>(act: (...args: A) => Promise<unknown>, done: string): Action<A> {
  const waiting = useRef<A[]>([]);
  const action = useAction(async () => {
    try {
      for (let next = waiting.current[0]; next; next = waiting.current[0]) {
        await act(...next);
        waiting.current.shift();
      }
    } finally {
      waiting.current = [];
    }
  }, done);
  const run = (...args: A) => {
    waiting.current.push(args);
    action.run();
  };
  return { ...action, run };
}

/** Whether it is known that nothing was done. */
const isAnswer = ({ status }: ApiError): boolean => status !== 0 && status < 500;

const unheard = ({ code, message, status }: ApiError): ApiError =>
  new ApiError(code, message, 'Nothing that you typed is lost. Try again in a moment: it is not done twice.', status);
