import { useEffect, useState } from 'preact/hooks';
import { CheckBadge } from '../parts/badge.js';
import { duration } from '../parts/time.js';
import type { Check } from '../types.js';
import { CheckLog } from './check-log.js';

/** How one check ended, and what it printed. */
export function CheckRow({ check }: { check: Check }) {
  const { name, state, required, exit_code, duration_ms, failed_before, reason, execution_process_id: id } = check;
  return (
    <li class="card" aria-label={name}>
      <div class="row">
        <h3>{name}</h3>
        <CheckBadge state={state} />
        {!required && <span class="badge">not required</span>}
        {failed_before && <span class="badge asks">failed before, too</span>}
        <span class="quiet">
          {[exit_code !== null && `exit code ${exit_code}`, duration_ms !== null && duration(duration_ms)]
            .filter(Boolean)
            .join(' · ')}
        </span>
      </div>
      {reason && <p>{reason}</p>}
      {id && <Printed key={id} id={id} name={name} isRunning={state === 'running'} />}
    </li>
  );
}

/** Open while it runs, and read when opened. */
function Printed({ id, name, isRunning }: { id: string; name: string; isRunning: boolean }) {
  const [isOpen, setOpen] = useState(isRunning);
  useEffect(() => {
    if (isRunning) setOpen(true);
  }, [isRunning]);
  return (
    <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Log</summary>
      {isOpen && <CheckLog id={id} name={name} />}
    </details>
  );
}
