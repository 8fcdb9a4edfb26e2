import type { TargetedEvent } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { LogEntry } from '../types.js';
import { JumpToLatest } from './following.js';
import { LogDownload } from './log-download.js';
import { followLog } from './log-follower.js';
import { RawLines } from './raw-lines.js';

/** Maximum lines of a tab; older ones are in the download. */
const NEWEST = 200_000;
const NEAR_END_PX = 40;

/** Lines as they were printed. Follows the end until the reader scrolls away from it or asks for a pause. */
export function RawLog({ attempt_id, latest }: { attempt_id: string; latest: string | null }) {
  const box = useRef<HTMLDivElement>(null);
  const [isFollowing, setFollowing] = useState(!location.hash.startsWith('#L'));
  const follows = useRef(isFollowing);
  follows.current = isFollowing;
  const [isEmpty, setEmpty] = useState(true);

  useEffect(() => {
    const lines = new RawLines(box.current!);
    let waiting: LogEntry[] = [];
    let frame = 0;
    let isLinked = location.hash.startsWith('#L');
    const flush = () => {
      frame = 0;
      const shown = box.current;
      if (shown === null) return; // another tab was chosen within the frame
      lines.append(waiting);
      waiting = [];
      setEmpty(false);
      const linked = isLinked ? document.getElementById(location.hash.slice(1)) : null;
      if (linked) {
        isLinked = false;
        linked.scrollIntoView({ block: 'center' });
      } else if (follows.current) shown.scrollTop = shown.scrollHeight;
    };
    const stop = followLog({ attempt_id, channel: 'raw', newest: NEWEST }, (entries) => {
      waiting.push(...entries);
      if (entries.length) frame ||= requestAnimationFrame(flush);
    });
    return () => {
      stop();
      cancelAnimationFrame(frame);
      box.current?.replaceChildren();
    };
  }, [attempt_id]);

  /** Told of a scroll only at the next frame, by when another tab may have been chosen. */
  const noticeScroll = ({ currentTarget: log }: TargetedEvent<HTMLElement>) => {
    if (follows.current && log.scrollHeight - log.scrollTop - log.clientHeight > NEAR_END_PX * 10) setFollowing(false);
  };
  const toggle = () => {
    setFollowing(!isFollowing);
    if (!isFollowing) box.current!.scrollTop = box.current!.scrollHeight;
  };
  return (
    <div class="raw">
      <div class="bar">
        <button type="button" onClick={toggle}>
          {isFollowing ? 'Pause' : 'Follow'}
        </button>
        {latest && <LogDownload id={latest} name="Download" />}
      </div>
      <div ref={box} class="log" role="log" aria-label="Raw log" aria-live="off" tabIndex={0} onScroll={noticeScroll} />
      <JumpToLatest following={{ isAtEnd: isFollowing || isEmpty, jump: toggle }} />
      {isEmpty && <p class="quiet">Nothing was printed yet.</p>}
    </div>
  );
}
