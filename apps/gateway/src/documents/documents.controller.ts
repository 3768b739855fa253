import { readFile } from 'node:fs/promises';
import { Controller, Get, Header, Inject, type OnModuleInit } from '@nestjs/common';
import { SETTINGS } from '@ssb/platform';
import { parseDocument } from 'yaml';
import type { Settings } from '../settings.js';

/** RFC 9512. */
const YAML = 'application/yaml';

/** Document 002, `/api/v1/docs`: rest.yaml and ws.yaml of this package. ws.yaml gets the gateway's settings. */
@Controller('api/v1/docs')
export class DocumentsController implements OnModuleInit {
  private rest = '';
  private events = '';
  private appliedEvents: string | undefined;

  constructor(@Inject(SETTINGS) private readonly settings: Settings) {}

  async onModuleInit(): Promise<void> {
    this.rest = await readDocument('rest.yaml');
    this.events = await readDocument('ws.yaml');
  }

  @Get('rest.yaml')
  @Header('content-type', YAML)
  restYaml(): string {
    return this.rest;
  }

  @Get('ws.yaml')
  @Header('content-type', YAML)
  eventsYaml(): string {
    // Only now, because parsing the text would make each start longer.
    return (this.appliedEvents ??= applySettings(this.events, this.settings));
  }
}

export function readDocument(name: 'rest.yaml' | 'ws.yaml'): Promise<string> {
  return readFile(new URL(`../../../${name}`, import.meta.url), 'utf8');
}

/** Payload of a frame with one message. */
const MESSAGE = { $ref: '#/components/schemas/Message' };

type DocumentSettings = Pick<Settings, 'EVENTS_FRAMES' | 'EVENTS_PROTOCOL' | 'PORT' | 'TLS_CERT_FILE'>;

/** Sets scheme, host, sub-protocol and the form of frames in the text of ws.yaml. */
export function applySettings(
  text: string,
  { EVENTS_FRAMES, EVENTS_PROTOCOL, PORT, TLS_CERT_FILE }: DocumentSettings,
): string {
  const document = parseDocument(text);
  const server = ['servers', 'gateway'];
  document.setIn([...server, 'protocol'], TLS_CERT_FILE === undefined ? 'ws' : 'wss');
  document.setIn([...server, 'variables', 'host', 'default'], `127.0.0.1:${PORT}`);
  const headers = ['channels', 'events', 'bindings', 'ws', 'headers', 'properties'];
  document.setIn([...headers, 'Sec-WebSocket-Protocol', 'enum'], [EVENTS_PROTOCOL]);
  if (EVENTS_FRAMES === 'object') {
    document.setIn(['components', 'messages', 'messages', 'payload'], MESSAGE);
  }
  return document.toString({ lineWidth: 0 });
}
