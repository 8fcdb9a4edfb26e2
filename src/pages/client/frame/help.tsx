import { useState } from 'preact/hooks';
import { Dialog } from '../parts/dialog.js';
import { areShortcutsOn, SHORTCUTS, switchShortcuts } from './shortcuts.js';

export function Help({ close }: { close: () => void }) {
  const [isOn, setOn] = useState(areShortcutsOn());
  const flip = () => {
    switchShortcuts(!isOn);
    setOn(!isOn);
  };
  return (
    <Dialog title="Help" close={close}>
      <label class="switch">
        <input type="checkbox" role="switch" checked={isOn} onChange={flip} /> Keyboard shortcuts
      </label>
      <table>
        <tbody>
          {SHORTCUTS.map(([keys, meaning]) => (
            <tr key={keys}>
              <th scope="row">
                <kbd>{keys}</kbd>
              </th>
              <td>{meaning}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Dialog>
  );
}
