import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommand } from './support/run-command.js';

const root = new URL('../../../../', import.meta.url).pathname;
const shipped = join(root, 'config/bridge.yaml');
const text = readFileSync(shipped, 'utf8');

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'config-check-'));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Number of the line that contains the text. */
const lineOf = (part: string): number => text.split('\n').findIndex((line) => line.includes(part)) + 1;

describe('busbridge config show', () => {
  it('prints defaults and values of variables, and hides secrets', async () => {
    const path = join(folder, 'shown.yaml');
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
    writeFileSync(path, text.replace('secret:', "headers: { x-key: 'hidden-value' }\n      secret:"));
    const variables = { WEBHOOK_URL: 'https://hooks.example/t/token', WEBHOOK_SECRET: secret };
    const { stdout } = await runCommand(['config', 'show', '--file', path], variables);
    expect(stdout).toMatch(/^ +url: https:\/\/hooks\.example\/…$/m);
    expect(stdout).toMatch(/^ +secret: …$/m);
    expect(stdout).toMatch(/^ +x-key: …$/m);
    expect(stdout).toContain('${PUBLISHER_GATEWAY_DID}');
    for (const hidden of [secret, 'hidden-value', '/t/token']) expect(stdout).not.toContain(hidden);
    const json = await runCommand(['config', 'show', '--file', path, '--json'], variables);
    expect(JSON.parse(json.stdout)).toMatchObject({ participants: [{ code: 'WPGENCO' }] });
  });
});

describe('busbridge config check', () => {
  it('names every error with its line, and the option for a machine without the secrets', async () => {
    const path = join(folder, 'bridge.yaml');
    writeFileSync(path, text.replace('hysteresis:', 'hysteresys:'));
    const { status, stdout, stderr } = await runCommand(['config', 'check'], { CONFIG_FILE: path });
    expect(status).toBe(78);
    expect(stdout).toContain(
      `error: ${path}:${lineOf('hysteresis:')}: participants.0.margin.hysteresys is an unknown key; the nearest known key is hysteresis.\n`,
    );
    expect(stdout).toContain('needs the environment variable WEBHOOK_SECRET, which is not set.\n');
    expect(stdout).toMatch(
      /: 6 errors, 0 warnings\nWithout these variables, check the file with --allow-unset\.\n$/,
    );
    expect(stderr).toBe('');
  });

  it('accepts warnings, and prints them as JSON', async () => {
    const options = ['--file', shipped, '--allow-unset', '--json'];
    const { status, stdout } = await runCommand(['config', 'check', ...options]);
    expect(status).toBe(0);
    const report = JSON.parse(stdout) as { errors: unknown[]; warnings: unknown[] };
    expect(report).toMatchObject({ file: shipped, errors: [], warnings: { length: 4 } });
    expect(report.warnings).toContainEqual({
      line: lineOf('${WEBHOOK_SECRET}'),
      message: 'alerts.sinks.1.secret needs the environment variable WEBHOOK_SECRET, which is not set',
      unset: 'WEBHOOK_SECRET',
    });
  });
});
