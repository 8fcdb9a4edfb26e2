import { homedir } from 'node:os';
import path from 'node:path';

/** What the command line reads of its environment. */
export interface CommandLineSettings {
  /** Of TASKYARD_URL; empty: not said. */
  url: string;
  /** Of TASKYARD_TOKEN; empty: not said. */
  token: string;
  /** Where credentials lie. */
  folder: string;
  /** Of a server that this command starts, and of one on this machine. */
  dataDir: string;
  /** Escape sequences are welcome, as far as NO_COLOR and TERM tell. */
  isColourful: boolean;
  /** A window can be shown to a person. */
  hasScreen: boolean;
}

export function commandLineSettings(source: NodeJS.ProcessEnv = process.env): CommandLineSettings {
  const home = source.HOME || homedir();
  return {
    url: source.TASKYARD_URL ?? '',
    token: source.TASKYARD_TOKEN ?? '',
    folder: path.join(source.XDG_CONFIG_HOME || path.join(home, '.config'), 'taskyard'),
    dataDir: path.resolve(source.DATA_DIR || path.join(home, '.taskyard')),
    isColourful: !source.NO_COLOR && source.TERM !== 'dumb',
    hasScreen: process.platform === 'darwin' || Boolean(source.DISPLAY || source.WAYLAND_DISPLAY),
  };
}

/** For the tools that this process serves next: they are those of this server, where TASKFLOW_API_URL names none. */
export function useServerForTools(server: string): void {
  process.env.TASKFLOW_API_URL ||= server;
}

/** For what this process starts next: data lie in the person's own folder, wherever the command is typed. */
export function useHomeForData(): void {
  process.env.DATA_DIR = commandLineSettings().dataDir;
}
