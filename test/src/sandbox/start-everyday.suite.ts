import { waitFor } from '@ssb/testing';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Command, interrupt, runCommand, stopCommands, waitForOutput } from '../harness/command.js';

let data: string;

beforeAll(() => {
  data = mkdtempSync(join(tmpdir(), 'settlement-bus-bridge-everyday-'));
});

afterEach(stopCommands);

afterAll(() => rmSync(data, { recursive: true, force: true }));

const start = (): Command => runCommand('bundles/start.js', ['--data', data, '--free-ports', '--speed', '2']);

/** Mark and type of each line about an event. */
const listEvents = ({ output }: Command): string[] =>
  [...output().matchAll(/^(!!| {2}) \d\d:\d\d:\d\d {2}(\S+)/gm)].map(([, mark, type]) => `${mark} ${type}`);

const countCalculations = (): number =>
  readFileSync(join(data, 'logs/subscriber.log'), 'utf8')
    .split('\n')
    .filter((line) => line.includes('"step":"archived"') && line.includes('position.calculated')).length;

describe('npm start without options', () => {
  it('is quiet about the past, then plays a statement, its invoice and a breach, each with its figure', async () => {
    const started = start();
    await waitForOutput(started, 'The market plays:\n  - a statement\n', 120_000);
    await waitForOutput(started, /^ {3}backlog: \d+ events archived/m, 60_000);
    await waitForOutput(started, 'margin.restored', 180_000);
    await waitForOutput(started, 'invoice.document-stored', 60_000);
    const document = '   invoice.document-stored';
    expect(listEvents(started).filter((event) => event !== document)).toEqual([
      '   statement.published',
      '   invoice.issued',
      '   payment.due',
      '!! margin.warning',
      '!! margin.breached',
      '!! margin.breached',
      '   margin.restored',
    ]);
    const output = started.output();
    expect(output).toMatch(
      /statement\.published {2}WPGENCO {2}WEM \d{4}-\d\d-\d\d INITIAL {2}net -?[\d,]+\.\d\d, 7 days/,
    );
    expect(output).toMatch(
      /payment\.due {10}WPGENCO {2}WEM .* {2}(pay|receive) [\d,]+\.\d\d due \d{4}-\d\d-\d\d/,
    );
    expect(output).toMatch(/!! .* {2}margin -[\d,]+\.\d\d below 0\.00/);
    expect(output).toMatch(/backlog: .*\n +calculations \d+, .*statements \d+, invoices \d+/);
    expect(output).not.toMatch(/overdue/);
    expect(output.split('\n').filter((line) => /^(!!| {2}) \d\d:/.test(line) && line.length > 100)).toEqual(
      [],
    );
    expect(await interrupt(started)).toBe(0);
  });

  it('continues without a line about what was before', async () => {
    const before = countCalculations();
    const started = start();
    await waitForOutput(started, 'The market continues where it stopped.', 120_000);
    await waitFor('further calculations', () => countCalculations() >= before + 2, 60_000);
    expect(listEvents(started)).toEqual([]);
    expect(await interrupt(started)).toBe(0);
  });
});
