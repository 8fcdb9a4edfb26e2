import { Component } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Markdown } from '../parts/markdown.js';
import { Conversation, type Item } from './conversation.js';
import { followLog } from './log-follower.js';

const NEWEST = 5_000;

/** What was said and done, newest at the end. */
export function ConversationView({ attempt_id }: { attempt_id: string }) {
  const conversation = useRef(new Conversation());
  const [count, setCount] = useState(0);
  useEffect(() => {
    conversation.current = new Conversation();
    return followLog({ attempt_id, channel: 'normalized', newest: NEWEST }, (entries) => {
      conversation.current.append(entries);
      if (entries.length) setCount((before) => before + entries.length);
    });
  }, [attempt_id]);
  if (count === 0) return <p class="quiet">Nothing was said yet.</p>;
  return (
    <ol class="conversation">
      {conversation.current.items.map((item) => (
        <Entry key={item.index} item={item} size={item.content.length + (item.result?.length ?? -1)} />
      ))}
    </ol>
  );
}

/** Rendered again only when it has grown. */
class Entry extends Component<{ item: Item; size: number }> {
  override shouldComponentUpdate({ size }: { size: number }): boolean {
    return size !== this.props.size;
  }
  render() {
    const { item } = this.props;
    return (
      <li class={item.type} id={`E${item.index + 1}`}>
        {content(item)}
      </li>
    );
  }
}

function content(item: Item) {
  switch (item.type) {
    case 'user_message':
      return <Said who="Prompt">{item.content}</Said>;
    case 'assistant_message':
    case 'plan':
      return <Markdown text={item.content} />;
    case 'thinking':
      return <Folded title="Thinking">{item.content}</Folded>;
    case 'tool_use':
    case 'tool_result':
      return <ToolCall item={item} />;
    case 'token_usage':
      return <p class="quiet">{item.content}</p>;
    default:
      return <p>{item.content}</p>;
  }
}

const Said = ({ who, children }: { who: string; children: string }) => (
  <>
    <p class="who">{who}</p>
    <p class="prompt">{children}</p>
  </>
);

const Folded = ({ title, children }: { title: string; children: string }) => (
  <details>
    <summary>{title}</summary>
    <pre>{children}</pre>
  </details>
);

function ToolCall({ item }: { item: Item }) {
  const [first = ''] = item.content.split('\n', 1);
  return (
    <details>
      <summary>
        <span class="tool">{item.tool_name ?? 'Result'}</span> <code>{first.slice(0, 160)}</code>
        {item.type === 'tool_use' && item.result === undefined && <span class="quiet"> …</span>}
      </summary>
      <pre>{item.content}</pre>
      {item.result && <pre class="result">{item.result}</pre>}
    </details>
  );
}
