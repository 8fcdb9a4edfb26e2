import { useEffect, useRef, useState } from 'preact/hooks';
import { LogDownload } from '../attempt/log-download.js';
import { RawLines } from '../attempt/raw-lines.js';
import { followExecution } from './execution-log.js';

/** Chunks of lines that are kept; older ones are in the download. */
const CHUNKS = 80;
const NEAR_END_PX = 40;

/** What a check prints, as it prints it. The end stays in sight unless the reader scrolls away from it. */
export function CheckLog({ id, name }: { id: string; name: string }) {
  const box = useRef<HTMLDivElement>(null);
  const [isEmpty, setEmpty] = useState(true);
  useEffect(() => {
    const shown = box.current!;
    const lines = new RawLines(shown);
    return followExecution(id, (entries) => {
      const isAtEnd = shown.scrollHeight - shown.scrollTop - shown.clientHeight < NEAR_END_PX;
      lines.append(entries);
      while (shown.childElementCount > CHUNKS) shown.firstElementChild!.remove();
      if (isAtEnd) shown.scrollTop = shown.scrollHeight;
      setEmpty(false);
    });
  }, [id]);
  return (
    <>
      <div ref={box} class="log" role="log" aria-label={`Log of ${name}`} aria-live="off" tabIndex={0} />
      {isEmpty && <p class="quiet">Nothing was printed yet.</p>}
      <LogDownload id={id} name="Download" label={`Download the log of ${name}`} />
    </>
  );
}
