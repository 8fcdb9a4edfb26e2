import { Component } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Icon } from '../parts/icon.js';
import { Markdown } from '../parts/markdown.js';
import { duration } from '../parts/time.js';
import { plainText } from './ansi.js';
import type { Item } from './conversation.js';
import { wordsForExit } from './failure-words.js';
import { rowOf } from './tool-row.js';

/** A shorter time is no news. */
const WORTH_TELLING_MS = 1_000;

/** One entry of a conversation, rendered again only when it has grown. */
export class Entry extends Component<{ item: Item; size: number }> {
  override shouldComponentUpdate({ size }: { size: number }): boolean {
    return size !== this.props.size;
  }
  render() {
    const { item } = this.props;
    return (
      <li class={`${item.type} ${item.hasFailed ? 'has-failed' : ''}`} id={`E${item.index + 1}`}>
        {content(item)}
      </li>
    );
  }
}

function content(item: Item) {
  switch (item.type) {
    case 'user_message':
      return <Prompt key={item.content.length} text={item.content} />;
    case 'assistant_message':
      return <Markdown text={plainText(item.content)} />;
    case 'plan':
      return <Plan item={item} />;
    case 'thinking':
      return <Thinking text={item.content} />;
    case 'tool_use':
    case 'tool_result':
      return <ToolCall item={item} />;
    case 'token_usage':
      return <p class="quiet">{item.content}</p>;
    case 'error_message':
      return <p>{plainText(wordsForExit(item.content) ?? item.content)}</p>;
    default:
      return <p>{plainText(item.content)}</p>;
  }
}

const BLANK_LINES = /\n\s*\n/g;

/** Its first six lines that say something, and the others on request. */
function Prompt({ text }: { text: string }) {
  const box = useRef<HTMLParagraphElement>(null);
  const [isShort, setShort] = useState(true);
  const [isCut, setCut] = useState(true);
  useLayoutEffect(() => {
    const { scrollHeight, clientHeight } = box.current!;
    const isWhole = scrollHeight <= clientHeight + 1;
    setCut(!isWhole);
    setShort(!isWhole);
  }, []);
  return (
    <>
      <p class="who">Prompt</p>
      <p ref={box} class={isShort ? 'prompt short' : 'prompt'}>
        {isShort ? text.replace(BLANK_LINES, '\n') : text}
      </p>
      {isCut && (
        <button type="button" class="plain whole" aria-expanded={!isShort} onClick={() => setShort(!isShort)}>
          {isShort ? 'Show all of it' : 'Show less'}
        </button>
      )}
    </>
  );
}

interface Step {
  content: string;
  status: string;
}

/** Steps as boxes that are ticked; a plan in prose as prose. */
function Plan({ item }: { item: Item }) {
  const steps = item.metadata?.steps as Step[] | undefined;
  if (!steps?.length) return <Markdown text={item.content} />;
  return (
    <ul class="plan" aria-label="Plan">
      {steps.map(({ content: words, status }, index) => (
        <li key={index} class={status}>
          <label>
            <input
              type="checkbox"
              disabled
              checked={status === 'completed'}
              ref={(box) => {
                if (box) box.indeterminate = status === 'in_progress';
              }}
            />{' '}
            {words}
          </label>
        </li>
      ))}
    </ul>
  );
}

const Thinking = ({ text }: { text: string }) => (
  <details>
    <summary>
      <Icon name="think" /> Thinking
    </summary>
    <pre>{text}</pre>
  </details>
);

function ToolCall({ item }: { item: Item }) {
  const { icon, verb, what, added, deleted } = rowOf(item);
  const isOpenEnded = item.type === 'tool_use' && item.result === undefined;
  return (
    <details>
      <summary>
        <Icon name={item.hasFailed ? 'failed' : icon} />
        <span class="tool">{item.type === 'tool_result' ? 'Result' : verb}</span>
        <code>{what}</code>
        {added > 0 && <span class="added">+{added}</span>}
        {deleted > 0 && <span class="deleted">−{deleted}</span>}
        {item.hasFailed && <span class="visually-hidden">failed</span>}
        <span class="aside">
          {isOpenEnded && '…'}
          {(item.took_ms ?? 0) >= WORTH_TELLING_MS && duration(item.took_ms!)}
        </span>
      </summary>
      <pre>{plainText(item.content)}</pre>
      {item.result && <pre class="result">{plainText(item.result)}</pre>}
    </details>
  );
}
