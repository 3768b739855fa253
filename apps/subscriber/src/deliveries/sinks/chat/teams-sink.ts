import type { ChatSinkConfig } from '@ssb/config';
import type { DeliveryOutcome } from '@ssb/net';
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

/** The message that the trigger "When a Teams webhook request is received" takes. */
export function renderTeams(message: HumanMessage, color: string): object {
  const { title, explanation, figures, action, dueBy, remarks, link, reference } = message;
  const facts = [
    ...figures.map(({ label, value }) => ({ title: label, value: escapeMarkdown(value) })),
    { title: 'What to do', value: escapeMarkdown(action) },
    ...(dueBy === undefined ? [] : [{ title: 'By', value: dueBy }]),
  ];
  return {
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        contentUrl: null,
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.4',
          msteams: { width: 'Full' },
          body: [
            { ...textBlock(title), size: 'Large', weight: 'Bolder', color },
            textBlock(explanation),
            { type: 'FactSet', facts },
            ...remarks.map(textBlock),
            { ...textBlock(reference), size: 'Small', isSubtle: true },
          ],
          ...(link !== undefined && {
            actions: [{ type: 'Action.OpenUrl', title: 'Open in the console', url: link }],
          }),
        },
      },
    ],
  };
}

const textBlock = (text: string) => ({ type: 'TextBlock', text: escapeMarkdown(text), wrap: true });

/** A card shows a subset of Markdown: a text cannot add a link or a style. */
function escapeMarkdown(text: string): string {
  return text.replace(/[\\[\]*_`#<>]/g, (character) => `\\${character}`);
}

export const TEAMS_KIND: SinkKind<ChatSinkConfig> = {
  files: chatFiles,
  open: (config, context) => new TeamsSink(config.name, openChatPoster(config, context), context.consoleUrl),
};
