import { useAction } from '../action.js';
import { download } from '../api.js';
import { Refusal } from '../parts/notice.js';

/** The whole raw log of a process as a file. */
export function LogDownload({ id, name, label }: { id: string; name: string; label?: string }) {
  const save = useAction(() => download(`/api/executions/${id}/log.txt`, `${id}.txt`));
  return (
    <>
      <button type="button" aria-label={label} disabled={save.isRunning} onClick={() => save.run()}>
        {name}
      </button>
      <Refusal error={save.error} />
    </>
  );
}
