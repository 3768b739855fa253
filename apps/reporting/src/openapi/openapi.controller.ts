import { Controller, Get, Header, Inject, type OnModuleInit } from '@nestjs/common';
import { SETTINGS } from '@ssb/platform';
import { readFile } from 'node:fs/promises';
import type { Settings } from '../settings.js';

/** openapi.json on both ports. The participants' port requires a client certificate for it, but no token. */
@Controller()
export class OpenApiController implements OnModuleInit {
  private text = '';

  constructor(@Inject(SETTINGS) private readonly settings: Settings) {}

  async onModuleInit(): Promise<void> {
    const document = await readOpenApi();
    // The token service of this deployment (document 001).
    const { clientCredentials } = document.components.securitySchemes.accessToken.flows;
    clientCredentials.tokenUrl = `${this.settings.TOKEN_ISSUER}/oauth/v1/token`;
    this.text = JSON.stringify(document);
  }

  @Get('openapi.json')
  @Header('content-type', 'application/json')
  document(): string {
    return this.text;
  }
}

/** An OpenAPI 3.1 document, as far as it is read here. */
export interface OpenApiDocument {
  readonly components: {
    readonly securitySchemes: {
      readonly accessToken: { readonly flows: { readonly clientCredentials: { tokenUrl: string } } };
    };
  };
}

/** openapi.json of this package. */
export async function readOpenApi(): Promise<OpenApiDocument> {
  const text = await readFile(new URL('../../../openapi.json', import.meta.url), 'utf8');
  return JSON.parse(text) as OpenApiDocument;
}
