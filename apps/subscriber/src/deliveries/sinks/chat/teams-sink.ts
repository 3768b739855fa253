import type { ChatSinkConfig } from '@ssb/config';
import { toPrintable, type DeliveryOutcome } from '@ssb/net';
import { describeMessage, type HumanMessage } from '../../content/describe-message.js';
import type { AlertSink, SinkMessage } from '../alert-sink.js';
import type { JsonPoster } from '../json-poster.js';
import type { SinkKind } from '../sink-kind.js';
import { chatFiles, openChatPoster } from './chat-poster.js';

/** Posts each delivery to a workflow of Microsoft Teams, as an Adaptive Card. */
export class TeamsSink implements AlertSink {
  constructor(
    readonly name: string,
    private readonly poster: JsonPoster,
    private readonly consoleUrl?: string,
  ) {}

  deliver(message: SinkMessage, signal: AbortSignal): Promise<DeliveryOutcome> {
    const { kind, severity } = message;
    const color = kind === 'resolved' ? 'Good' : COLORS[severity];
    return this.poster.post(renderTeams(describeMessage(message, this.consoleUrl), color), signal);
  }

  close(): Promise<void> {
    return this.poster.close();
  }
}

const COLORS = { info: 'Default', warning: 'Warning', critical: 'Attention' } as const;

/** Limit of Teams for a message. */
const MAX_BYTES = 28_000;

/** The message that the trigger "When a Teams webhook request is received" takes. Texts of a message that is too large are cut. */
export function renderTeams(message: HumanMessage, color: string): object {
  for (const maxLength of [600, 200]) {
    const card = renderCard(message, color, maxLength);
    if (Buffer.byteLength(JSON.stringify(card)) <= MAX_BYTES) return card;
  }
  return renderCard(message, color, 80);
}

function renderCard(message: HumanMessage, color: string, maxLength: number): object {
  const { title, explanation, figures, action, dueBy, remarks, link, reference } = message;
  const rows = [
    ...figures,
    { label: 'What to do', value: action },
    ...(dueBy === undefined ? [] : [{ label: 'By', value: dueBy }]),
    ...remarks.map((value) => ({ label: 'Note', value })),
  ];
  const run = (text: string, style: object = {}) => ({
    type: 'TextRun',
    text: toPrintable(text, maxLength),
    ...style,
  });
  const body = [
    [run(title, { size: 'Large', weight: 'Bolder', color })],
    [run(explanation)],
    ...rows.map(({ label, value }) => [run(`${label}: `, { weight: 'Bolder' }), run(value)]),
    [run(reference, { size: 'Small', isSubtle: true })],
  ];
  const actions =
    link === undefined ? [] : [{ type: 'Action.OpenUrl', title: 'Open in the console', url: link }];
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    msteams: { width: 'Full' },
    // The text of a TextRun is not Markdown: it cannot add a link or a style, or mention people.
    body: body.map((inlines) => ({ type: 'RichTextBlock', inlines })),
    actions,
  };
  const contentType = 'application/vnd.microsoft.card.adaptive';
  return { type: 'message', attachments: [{ contentType, contentUrl: null, content }] };
}

export const TEAMS_KIND: SinkKind<ChatSinkConfig> = {
  files: chatFiles,
  open: (config, context) => new TeamsSink(config.name, openChatPoster(config, context), context.consoleUrl),
};
