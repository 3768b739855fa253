import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** A message as the software of the receiver reads it. */
export interface ReceivedMessage {
  readonly id: string;
  readonly subject: string;
}

/** Readers of what the vendors publish about their formats. Each throws for a message that the vendor would refuse or show otherwise. */

/** Standard Webhooks (github.com/standard-webhooks). @param secret `whsec_` and the key in base64 */
export function readWebhook(headers: IncomingHttpHeaders, body: string, secret: string): ReceivedMessage {
  const { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': signature } = headers;
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const signed = createHmac('sha256', key).update(`${String(id)}.${String(time)}.${body}`);
  expect(signature).toBe(`v1,${signed.digest('base64')}`);
  const message = JSON.parse(body) as ReceivedMessage;
  expect(message.id).toBe(id);
  return message;
}

interface SlackText {
  readonly type: 'plain_text' | 'mrkdwn';
  readonly text: string;
  readonly verbatim?: boolean;
}

/** Incoming webhook of Slack with blocks (docs.slack.dev, Block Kit reference). */
export function readSlackMessage(body: string): ReceivedMessage {
  const { text, blocks } = JSON.parse(body) as {
    text: string;
    blocks: { type: string; text?: SlackText; fields?: SlackText[]; elements?: SlackText[] }[];
  };
  expect(text).not.toMatch(/[<>]/);
  expect(blocks.length).toBeLessThanOrEqual(50);
  for (const { type, text: title, fields = [], elements = [] } of blocks) {
    expect(['header', 'section', 'context']).toContain(type);
    expect(Math.max(fields.length, elements.length)).toBeLessThanOrEqual(10);
    const limit = type === 'header' ? 150 : 2_000;
    for (const each of [...(title ? [title] : []), ...fields, ...elements]) {
      expect(each.text.length).toBeGreaterThan(0);
      expect(each.text.length).toBeLessThanOrEqual(limit);
      if (each.type === 'plain_text') continue;
      expect(each.verbatim).toBe(true);
      expect(each.text).toMatch(/^(?:\*[\w ]+\*|<https:\/\/[^<>|]+\|Open in the console>)$/);
    }
  }
  return readReference(blocks.at(-1)?.elements?.[0]?.text);
}

interface CardBlock {
  readonly type: string;
  readonly inlines: readonly { readonly type: string; readonly text: string }[];
}

/** Adaptive Card 1.4 for a workflow of Teams, at most 28 KB (learn.microsoft.com, adaptivecards.io). */
export function readCard(body: string): ReceivedMessage {
  expect(Buffer.byteLength(body)).toBeLessThanOrEqual(28_000);
  const { type, attachments } = JSON.parse(body) as {
    type: string;
    attachments: {
      contentType: string;
      content: { type: string; version: string; body: CardBlock[]; actions: { type: string; url: string }[] };
    }[];
  };
  expect([type, attachments.length]).toEqual(['message', 1]);
  const [{ contentType, content }] = attachments as [(typeof attachments)[number]];
  expect(contentType).toBe('application/vnd.microsoft.card.adaptive');
  expect([content.type, content.version]).toEqual(['AdaptiveCard', '1.4']);
  // A mention of a person needs an entity.
  expect(content).not.toHaveProperty('msteams.entities');
  for (const { type: block, inlines } of content.body) {
    expect(block).toBe('RichTextBlock');
    for (const { type: inline, text } of inlines) {
      expect(inline).toBe('TextRun');
      expect(text).not.toBe('');
    }
  }
  for (const { type: action, url } of content.actions) {
    expect(action).toBe('Action.OpenUrl');
    expect(url).toMatch(/^https:/);
  }
  return readReference(content.body.at(-1)?.inlines[0]?.text);
}

/** Events API v2 (developer.pagerduty.com, "Send an alert event"). */
export function readIncident(body: string, routingKey: string): ReceivedMessage {
  expect(Buffer.byteLength(body)).toBeLessThanOrEqual(512_000);
  const event = JSON.parse(body) as {
    routing_key: string;
    event_action: string;
    dedup_key: string;
    payload: {
      summary: string;
      source: string;
      severity: string;
      component: string;
      custom_details: { event: string };
    };
  };
  expect(event.routing_key).toBe(routingKey);
  expect(routingKey).toHaveLength(32);
  expect(['trigger', 'acknowledge', 'resolve']).toContain(event.event_action);
  expect(event.dedup_key).toMatch(/^.{1,255}$/);
  const { summary, source, severity, component, custom_details: details } = event.payload;
  expect(summary.length).toBeLessThanOrEqual(1_024);
  expect(source).not.toBe('');
  expect(['critical', 'error', 'warning', 'info']).toContain(severity);
  return { id: details.event, subject: component };
}

/** `postableAlerts` of the API v2 of Alertmanager (api/v2/openapi.yaml). */
export function readAlerts(body: string): ReceivedMessage {
  const alerts = JSON.parse(body) as {
    labels: Record<string, string>;
    annotations: Record<string, string>;
    startsAt: string;
    endsAt: string;
  }[];
  for (const { labels, annotations, startsAt, endsAt } of alerts) {
    expect(labels.alertname).toMatch(/^Settlement(?:Problem|Test)$/);
    for (const [name, value] of [...Object.entries(labels), ...Object.entries(annotations)]) {
      expect(name).toMatch(/^[a-zA-Z_][a-zA-Z0-9_]*$/);
      expect(typeof value).toBe('string');
    }
    expect(Date.parse(endsAt)).toBeGreaterThanOrEqual(Date.parse(startsAt));
  }
  const last = alerts.at(-1);
  return { id: last?.annotations.event ?? '', subject: last?.labels.subject ?? '' };
}

/** The last line of a message for people has the id of the message, and the subject. */
export function readReference(reference = ''): ReceivedMessage {
  const [, id = '', subject = ''] = /^Reference: (\S+), (.*)$/su.exec(reference) ?? [];
  return { id, subject };
}
