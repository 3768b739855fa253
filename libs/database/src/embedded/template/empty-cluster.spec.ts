import { chmod, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PGlite } from '@electric-sql/pglite';
import { emptyCluster } from './empty-cluster.js';
import { readTemplateFile } from './template-file.js';

describe('the template of an empty cluster', () => {
  let folder: string;
  const theFile = async (): Promise<string> => join(folder, String((await readdir(folder))[0]));
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'template-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('is made once, by whoever comes first, and a database can begin as it', async () => {
    const [one, other] = await Promise.all([emptyCluster(folder), emptyCluster(folder)]);
    expect(one?.size).toBe(other?.size);
    // Nothing is left of who came second, nor half-written.
    expect(await readdir(folder)).toEqual([expect.stringMatching(/^empty-cluster-\d+\.\d+\.\d+\.tar$/)]);

    const engine = await PGlite.create('memory://', { ...(one && { loadDataDir: one }) });
    try {
      await engine.exec('CREATE TABLE kept (value numeric(23,8)); INSERT INTO kept VALUES (1.00000001)');
      expect((await engine.query('SELECT value::text FROM kept')).rows).toEqual([{ value: '1.00000001' }]);
    } finally {
      await engine.close();
    }
  });

  it('is not made again while it is whole', async () => {
    const file = await theFile();
    const longAgo = new Date('2026-01-01T00:00:00Z');
    await utimes(file, longAgo, longAgo);
    expect(await emptyCluster(folder)).toBeDefined();
    expect((await stat(file)).mtime).toEqual(longAgo);
  });

  it('is made again when one byte of it was altered', async () => {
    const file = await theFile();
    const bytes = await readFile(file);
    const whole = Buffer.from(bytes);
    bytes[1_000_000] = ~(bytes[1_000_000] ?? 0) & 0xff;
    await writeFile(file, bytes);
    expect((await emptyCluster(folder))?.size).toBe(whole.length - 32);
    expect(await readTemplateFile(file)).toBeDefined();
  });

  it('is no template when it was cut off', async () => {
    const file = await theFile();
    const copy = join(tmpdir(), `template-cut-off-${process.pid}`);
    try {
      await writeFile(copy, (await readFile(file)).subarray(0, 1_000_000));
      expect(await readTemplateFile(copy)).toBeUndefined();
    } finally {
      await rm(copy);
    }
  });

  it('is not taken from a folder that anybody may write to', async () => {
    await chmod(folder, 0o777);
    try {
      expect(await emptyCluster(folder)).toBeUndefined();
    } finally {
      await chmod(folder, 0o700);
    }
  });

  it('is done without where there can be no such folder', async () => {
    expect(await emptyCluster(join(await theFile(), 'below a file'))).toBeUndefined();
  });
});
