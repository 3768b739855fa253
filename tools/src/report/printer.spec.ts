import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { Writable } from 'node:stream';
import { createPrinter } from './printer.js';

it('says how much was left out when the output works again', () => {
  const printed: string[] = [];
  let isFull = true;
  const output = new Writable();
  output.write = (text: string, done?: unknown): boolean => {
    if (!isFull) printed.push(text);
    (done as (error?: Error) => void)(isFull ? new Error('ENOSPC') : undefined);
    return true;
  };
  const printer = createPrinter(output);
  for (const text of ['a', 'b']) printer.write(text);
  isFull = false;
  for (const text of ['c', 'd']) printer.write(text);
  expect(printed).toEqual([
    'c',
    '  This output could not be written 2 times, and that part is left out.\n',
    'd',
  ]);
});

it('a full disk does not end the process', async () => {
  const [interrupt, printer] = ['../lifecycle/on-interrupt.js', './printer.js'].map(
    (module) => new URL(module, import.meta.url).href,
  );
  const script = `
    import { onInterrupt } from '${interrupt}';
    import { createPrinter } from '${printer}';
    onInterrupt(async () => undefined, 1, false);
    const printer = createPrinter();
    for (const text of ['a', 'b']) printer.write(text);
    setImmediate(() => process.exit(3));`;
  // Every write to this device fails with ENOSPC.
  const full = openSync('/dev/full', 'w');
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', full, full],
  });
  closeSync(full);
  expect(await once(child, 'exit')).toEqual([3, null]);
});
