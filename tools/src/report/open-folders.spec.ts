import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeOpenFolders } from './open-folders.js';

let data: string;

beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), 'open-folders-'));
});

afterEach(() => rmSync(data, { recursive: true }));

it('says nothing about private folders and about files', () => {
  mkdirSync(join(data, 'redis'), { mode: 0o700 });
  writeFileSync(join(data, 'redis.url'), '');
  expect(describeOpenFolders(data)).toBe('');
});

it('names each folder that other users may open, its mode, and the command', () => {
  mkdirSync(join(data, 'tls'));
  chmodSync(join(data, 'tls'), 0o755);
  chmodSync(data, 0o750);
  const text = describeOpenFolders(data);
  expect(text).toContain(
    `WARNING: other users of this machine may open ${data} (0750), ${join(data, 'tls')} (0755).`,
  );
  expect(text).toContain(`Run: chmod 700 ${data} ${join(data, 'tls')}`);
});
