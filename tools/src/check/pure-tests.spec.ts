import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { selectPureTests } from './pure-tests.js';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pure-tests-'));
});

afterEach(() => rmSync(folder, { recursive: true }));

it('selects the tests that reach no module that starts a process', () => {
  const modules = {
    'pure.js': `import { a } from './helper.js';`,
    'helper.js': `import './pure.js';\nimport { readFileSync } from 'node:fs';`,
    'direct.js': `import { spawn } from 'node:child_process';`,
    'indirect.js': `export { a } from './direct.js';`,
    'later.js': `const { a } = await import('./indirect.js');`,
    'thread.js': `new Worker(new URL('./direct.js', import.meta.url));`,
    'server.js': `import { startTestRedis } from '@ssb/testing';`,
  };
  for (const [name, text] of Object.entries(modules)) writeFileSync(join(folder, name), text);
  const files = Object.keys(modules).map((name) => join(folder, name));
  expect(selectPureTests(files)).toEqual([join(folder, 'pure.js'), join(folder, 'helper.js')]);
});
