import { readFile } from 'node:fs/promises';
import { Controller, Get, Header, type OnModuleInit } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { ForEveryone } from '../access/access.guard.js';

/** The document that `npm run docs` writes from the controllers. */
export const OPENAPI_FILE = new URL('../../../openapi.json', import.meta.url);

@ApiExcludeController()
@ForEveryone()
@Controller()
export class OpenApiController implements OnModuleInit {
  private text = '';

  async onModuleInit(): Promise<void> {
    this.text = await readFile(OPENAPI_FILE, 'utf8');
  }

  @Get('openapi.json')
  @Header('content-type', 'application/json')
  document(): string {
    return this.text;
  }
}
