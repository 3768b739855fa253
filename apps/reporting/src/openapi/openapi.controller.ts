import { Controller, Get, Header, Inject } from '@nestjs/common';
import { SETTINGS } from '@ssb/platform';
import type { Settings } from '../settings.js';
import { openApiDocument } from './document.js';

/** The OpenAPI document, on both ports. The participants' port requires a client certificate for it, but no token. */
@Controller()
export class OpenApiController {
  private readonly text: string;

  constructor(@Inject(SETTINGS) { TOKEN_ISSUER }: Settings) {
    this.text = JSON.stringify(openApiDocument(TOKEN_ISSUER));
  }

  @Get('openapi.json')
  @Header('content-type', 'application/json')
  document(): string {
    return this.text;
  }
}
