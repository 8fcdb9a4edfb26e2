import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';

const docker = path.join(import.meta.dirname, '../../docker');
const compose = readFileSync(path.join(docker, 'compose.yaml'), 'utf8');
const cluster = readFileSync(path.join(docker, 'compose.cluster.yaml'), 'utf8');
const services = compose.slice(compose.indexOf('\nservices:\n') + 11, compose.indexOf('\nsecrets:\n') + 1);
const parts = services.split(/^ {2}(?=\w+:\n)/m).filter((part) => part.trim() !== '');

describe('S21: what is missing beside the code', () => {
  const root = path.join(docker, '..');
  const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');

  it('a licence', () => {
    const { license } = JSON.parse(read('package.json')) as { license: string };
    expect(read('LICENSE')).toMatch(new RegExp(`^${license} License`));
  });

  it('what is promised, what is not, and how to report', () => {
    const headings = [...read('SECURITY.md').matchAll(/^## (.+)$/gm)].map(([, heading]) => heading);
    expect(headings).toEqual(
      expect.arrayContaining(['What is promised', 'What is not promised', 'Report a vulnerability']),
    );
  });

  it('a way to name every image by its digest', () => {
    const images = [...`${compose}${cluster}`.matchAll(/^ +image: (.+)$/gm)].map(([, image]) => image!);
    for (const image of images) expect(image).toMatch(/^(\$\{\w+_IMAGE:-[\w./:-]+\}|taskyard.*)$/);
    const bases = [...read('docker/Dockerfile').matchAll(/^FROM (\S+)/gm)].map(([, base]) => base!);
    const stages = [...read('docker/Dockerfile').matchAll(/ AS (\w[\w-]*)$/gm)].map(([, stage]) => stage!);
    for (const base of bases) expect(['${NODE_IMAGE}', ...stages]).toContain(base);
  });
});

describe('S17: containers that could be entered or left', () => {
  it('without confinement', () => {
    const [, confined] = /^x-confined: &confined\n([\s\S]*?)\n\n/m.exec(compose) ?? [];
    for (const rule of ['cap_drop: [ALL]', 'no-new-privileges:true', 'read_only: true'])
      expect(confined).toContain(rule);
    expect(parts).toHaveLength(2);
    for (const part of parts) {
      expect(part).toContain('<<: *confined');
      expect(part).toMatch(/mem_limit: .+\n {4}pids_limit: \d+/);
      expect(part).not.toMatch(/cap_add|privileged|docker\.sock/);
      if (part.includes('security_opt:')) expect(part).toContain('- no-new-privileges:true');
    }
  });

  it('without isolation: the image has bubblewrap, and the container lets it make namespaces', () => {
    expect(readFileSync(path.join(docker, 'Dockerfile'), 'utf8')).toMatch(/install .*\bbubblewrap\b/);
    for (const profile of ['seccomp', 'apparmor', 'systempaths']) expect(services).toContain(`- ${profile}=unconfined`);
  });

  it('with secrets in their environment, or by default', () => {
    const given = [...services.matchAll(/^ {6}([A-Z_]+): (.+)$/gm)].map(([, name, value]) => [name, value] as const);
    const secret = given.filter(([name]) => /PASSWORD|TOKEN|DATABASE_URL/.test(name!));
    expect(secret).toHaveLength(4);
    for (const [name, value] of secret)
      expect([name, value]).toEqual([expect.stringMatching(/_FILE$/), expect.stringMatching(/^\/run\/secrets\//)]);
  });

  it('with secrets that others read or that change', () => {
    const folder = path.join(mkdtempSync(path.join(tmpdir(), 'taskyard-secrets-')), 'secrets');
    const read = (): Record<string, string> =>
      Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(path.join(folder, name), 'utf8')]));
    try {
      execFileSync('sh', [path.join(docker, 'make-secrets.sh'), folder]);
      const made = read();
      const used = [...`${compose}${cluster}`.matchAll(/file: \.\/secrets\/(\w+)/g)].map(([, name]) => name);
      expect(Object.keys(made).sort()).toEqual([...new Set(used)].sort());
      expect(statSync(folder).mode & 0o777).toBe(0o700);
      expect(made.database_url).toBe(`postgres://taskyard_app:${made.app_password}@database:5432/taskyard`);
      expect(made.migration_database_url).toBe(`postgres://taskyard:${made.owner_password}@database:5432/taskyard`);
      for (const name of ['owner_password', 'app_password', 'service_token', 'cluster_secret'])
        expect(made[name]).toMatch(/^[0-9a-f]{64}$/);
      execFileSync('sh', [path.join(docker, 'make-secrets.sh'), folder]);
      expect(read()).toEqual(made);
    } finally {
      rmSync(path.dirname(folder), { recursive: true, force: true });
    }
  });
});
