import { useState } from 'preact/hooks';
import { toast } from '../parts/toast.js';
import { Dialog } from '../parts/dialog.js';
import { Icon } from '../parts/icon.js';

export interface Issued {
  name: string;
  token: string;
}

/** A new token. The server keeps only its digest, so this is the one time to copy it. */
export function ShownOnce({ issued: { name, token }, close }: { issued: Issued; close: () => void }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(token);
    setCopied(true);
    toast('Copied');
  };
  return (
    <Dialog title={`The token ${name}`} close={close}>
      <p>It is shown this once. Copy it to where it is used before you close this.</p>
      <label>
        Token
        <input type="text" readOnly value={token} onFocus={(event) => event.currentTarget.select()} />
      </label>
      <div class="bar">
        {'clipboard' in navigator && (
          <button type="button" onClick={() => void copy()}>
            <Icon name="copy" /> {isCopied ? 'Copied' : 'Copy'}
          </button>
        )}
        <button type="button" class="primary" onClick={close}>
          Done
        </button>
      </div>
    </Dialog>
  );
}
