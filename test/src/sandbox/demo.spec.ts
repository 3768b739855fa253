import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { REPOSITORY_ROOT } from '@ssb/tools';
import { findProcesses, interrupt, runCommand, stopCommands, waitForOutput } from '../harness/command.js';

interface DemoOutput {
  readonly missing: readonly unknown[];
  readonly events: readonly Readonly<Record<string, unknown>>[];
  readonly problems: readonly { readonly kind: string; readonly change: string; readonly severity: string }[];
}

afterEach(stopCommands);

describe('npm run demo', () => {
  it('runs the demo scenario and prints the delivered events', async () => {
    const child = spawn(process.execPath, [join(REPOSITORY_ROOT, 'bundles/demo.js'), '--json'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const [status] = (await once(child, 'close')) as [number];
    const result = JSON.parse(output) as DemoOutput;
    expect(result.missing).toEqual([]);
    expect(status).toBe(0);
    const isDocument = ({ type }: { readonly type?: unknown }): boolean =>
      type === 'settlementbus.invoice.document-stored.v1';
    // It comes once the requests for other records have room for it.
    expect(result.events.filter(isDocument)).toMatchObject([{ deliveryKind: 'notice' }]);
    const others = result.events.filter((event) => !isDocument(event));
    expect(others.map(({ type, deliveryKind }) => [type, deliveryKind])).toEqual([
      ['settlementbus.statement.published.v1', 'notice'],
      ['settlementbus.statement.published.v1', 'notice'],
      ['settlementbus.invoice.issued.v1', 'notice'],
      ['settlementbus.margin.warning.v1', 'alert'],
      ['settlementbus.margin.breached.v1', 'alert'],
      ['settlementbus.margin.restored.v1', 'resolved'],
    ]);
    expect(result.problems.map(({ kind, change, severity }) => [kind, change, severity])).toEqual([
      ['margin', 'opened', 'warning'],
      ['margin', 'worsened', 'critical'],
      ['margin', 'resolved', 'critical'],
    ]);
    for (const event of result.events) {
      for (const time of ['factTime', 'detectedAt', 'verifiedAt', 'archivedAt', 'deliveredAt']) {
        expect(Date.parse(String(event[time]))).not.toBeNaN();
      }
      expect(event.origin).toMatch(/^did:ethr:0x[0-9a-fA-F]{40}$/);
    }
  });

  it('stops all processes and removes its folder when it is interrupted while it starts', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'interrupted-'));
    const running = runCommand('bundles/demo.js', [], { TMPDIR: folder });
    await waitForOutput(running, '✓ PostgreSQL', 60_000);
    expect(await interrupt(running)).toBe(130);
    expect(findProcesses(folder)).toEqual([]);
    expect(readdirSync(folder)).toEqual([]);
    rmSync(folder, { recursive: true });
  });
});
