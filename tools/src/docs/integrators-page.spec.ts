import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { Trust, verifyWebhook } from 'settlement-bus-downstream';
import { REPOSITORY_ROOT } from '../system/processes.js';

const PAGE = readFile('docs/integrators.md');

it('shows the message of a vector', () => {
  const message = joinLines(/```text\n(\{.*?\n\})\n```/s);
  const vectors = JSON.parse(readFile('libs/events/vectors/valid.json')) as {
    name: string;
    message: object;
  }[];
  const vector = vectors.find(({ name }) => name === 'settlementbus.margin.breached.v1');
  // The vectors write this number as a text, because a double cannot hold its digits.
  const withText = message.replace(/("timestampNanos": )(\d+)/, '$1"$2"');
  expect(JSON.parse(withText)).toEqual(vector?.message);
});

it('shows a webhook with a valid signature, which the kit accepts as the page says', () => {
  const request = /```text\n(POST .*?)\n\n(.*?)\n```/s.exec(PAGE);
  const [, head = '', body = ''] = request ?? [];
  const headers = Object.fromEntries(
    head
      .split('\n')
      .slice(1)
      .map((line) => line.split(': ')),
  );
  const [secret = ''] = /whsec_[^`]+/.exec(PAGE) ?? [];
  const sentAt = new Date(Number(headers['webhook-timestamp']) * 1000);
  const text = body.replaceAll('\n', '');
  const signature = new Webhook(secret).sign(headers['webhook-id'] ?? '', sentAt, text);
  expect(signature).toBe(headers['webhook-signature']);
  const [, now = '', seconds = ''] = /now: new Date\('(.+?)'\)` \(Python:\s+`now=(\d+)`/.exec(PAGE) ?? [];
  const [trustFile = ''] = /libs\/events\/vectors\/trust\.json/.exec(PAGE) ?? [];
  const trust = Trust.fromJson(JSON.parse(readFile(trustFile)));
  const verdict = verifyWebhook(text, headers, { secret, trust, now: new Date(now) });
  expect(verdict).toMatchObject({ ok: true, event: { id: headers['webhook-id'] }, retiredKeys: [] });
  expect(Number(seconds)).toBe(Date.parse(now) / 1000);
});

/** The page breaks long texts; the lines of a text have no indentation. */
function joinLines(block: RegExp): string {
  return (block.exec(PAGE)?.[1] ?? '').replaceAll(/\n(?! {2}"|\})/g, '');
}

function readFile(path: string): string {
  return readFileSync(join(REPOSITORY_ROOT, path), 'utf8');
}
