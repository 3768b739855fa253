import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { REPOSITORY } from '@ssb/tools';

interface DemoOutput {
  readonly missing: readonly unknown[];
  readonly events: readonly Readonly<Record<string, unknown>>[];
}

describe('npm run demo', () => {
  it('plays a short market through the whole road and tells what arrived', async () => {
    const child = spawn(process.execPath, [join(REPOSITORY, 'tools/dist/demo.js'), '--json'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const [status] = (await once(child, 'close')) as [number];
    const result = JSON.parse(output) as DemoOutput;
    expect(result.missing).toEqual([]);
    expect(status).toBe(0);
    expect(result.events.map(({ type, alert }) => [type, alert])).toEqual([
      ['settlementbus.statement.published.v1', false],
      ['settlementbus.statement.published.v1', false],
      ['settlementbus.invoice.issued.v1', false],
      ['settlementbus.margin.warning.v1', true],
      ['settlementbus.margin.breached.v1', true],
      ['settlementbus.margin.restored.v1', false],
    ]);
    for (const event of result.events) {
      for (const time of ['publishedAt', 'detectedAt', 'verifiedAt', 'archivedAt', 'deliveredAt']) {
        expect(Date.parse(String(event[time]))).not.toBeNaN();
      }
      expect(event.signer).toMatch(/^did:ethr:0x[0-9a-fA-F]{40}$/);
    }
  }, 150_000);
});
