import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { NoPostgresError, PostgresVersionError } from './errors.js';
import { findPostgresPrograms, programsFor } from './programs.js';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'postgres-programs-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('findPostgresPrograms', () => {
  /** Creates a folder whose `initdb` and `postgres` run this shell script. */
  const createInstallation = (name: string, script: string): string => {
    const bin = join(folder, name);
    mkdirSync(bin);
    for (const program of ['initdb', 'postgres'])
      writeFileSync(join(bin, program), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    return bin;
  };

  it('returns the usable installations of the search path, in the order of the search path', () => {
    const searchPath = [
      createInstallation('too-old', 'echo "postgres (PostgreSQL) 14.22"'),
      createInstallation('missing-library', 'exit 127'),
      createInstallation('second', 'echo "postgres (PostgreSQL) 16.4 (Debian 16.4-1)"'),
      join(folder, 'missing'),
      createInstallation('first', 'echo "postgres (PostgreSQL) 17.2"'),
    ];
    const found = findPostgresPrograms(searchPath.join(delimiter));
    expect(found.filter((programs) => programs.folder.startsWith(folder))).toEqual([
      { folder: join(folder, 'second'), major: 16 },
      { folder: join(folder, 'first'), major: 17 },
    ]);
  });
});

describe('programsFor', () => {
  const installed = [
    { folder: '/npm/bin', major: 18 },
    { folder: '/usr/lib/postgresql/15/bin', major: 15 },
    { folder: '/opt/15/bin', major: 15 },
  ];

  it('returns the first installation for a new data folder', () => {
    expect(programsFor(join(folder, 'data'), installed)).toEqual(installed[0]);
  });

  it('returns the first installation of the major version that wrote the data', () => {
    writeFileSync(join(folder, 'PG_VERSION'), '15\n');
    expect(programsFor(folder, installed)).toEqual(installed[1]);
  });

  it('throws for data of a major version that is not installed, and the error says what to do', () => {
    writeFileSync(join(folder, 'PG_VERSION'), '12\n');
    const choose = () => programsFor(folder, installed);
    expect(choose).toThrow(PostgresVersionError);
    expect(choose).toThrow(
      `The data in ${folder} was written by PostgreSQL 12; only PostgreSQL 18 and 15 is installed.\n` +
        'Install PostgreSQL 12 to keep using this data (its pg_dump can copy it to another version),\n' +
        `or move ${folder} away to start with an empty database.`,
    );
  });

  it('throws when nothing is installed, and the error says what to do', () => {
    const choose = () => programsFor(folder, []);
    expect(choose).toThrow(NoPostgresError);
    expect(choose).toThrow(/set DATABASE_URL .*\n.* install PostgreSQL 15 .*\n.* run npm ci/);
  });
});
