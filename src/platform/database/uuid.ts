import { randomFillSync } from 'node:crypto';

/** Drawn for many ids at once, because drawing 16 bytes costs as much as all of these. */
const entropy = Buffer.alloc(4_096);
let drawn = entropy.length;

/** UUID version 7: sorts by the millisecond of its making, so that indexes grow at one end. */
export function newId(now = Date.now()): string {
  const bytes = randomBytes16();
  bytes.writeUIntBE(now, 0, 6);
  bytes.writeUInt8(0x70 | (bytes.readUInt8(6) & 0x0f), 6);
  bytes.writeUInt8(0x80 | (bytes.readUInt8(8) & 0x3f), 8);
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** Handed out once; valid until the next call. */
function randomBytes16(): Buffer {
  if (drawn === entropy.length) {
    randomFillSync(entropy);
    drawn = 0;
  }
  drawn += 16;
  return entropy.subarray(drawn - 16, drawn);
}
