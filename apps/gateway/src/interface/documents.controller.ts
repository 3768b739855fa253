import { Controller, Get, Header, Inject } from '@nestjs/common';
import { SETTINGS } from '@ssb/platform';
import type { Settings } from '../settings.js';
import { eventsDocument } from './events-document.js';
import { restDocument } from './rest-document.js';
import { yamlText } from './yaml-text.js';

/** RFC 9512. */
const YAML = 'application/yaml';

/** Document 002, `/api/v1/docs`: the descriptions of this interface, made once. */
@Controller('api/v1/docs')
export class DocumentsController {
  private readonly rest = yamlText(restDocument());
  private readonly events: string;

  constructor(@Inject(SETTINGS) { EVENTS_PROTOCOL, PORT, TLS_CERT_FILE }: Settings) {
    const secure = TLS_CERT_FILE !== undefined;
    this.events = yamlText(eventsDocument({ protocol: EVENTS_PROTOCOL, secure, port: PORT }));
  }

  @Get('rest.yaml')
  @Header('content-type', YAML)
  restYaml(): string {
    return this.rest;
  }

  @Get('ws.yaml')
  @Header('content-type', YAML)
  eventsYaml(): string {
    return this.events;
  }
}
