import { Body, Controller, Get, HttpCode, Inject, Param, Post } from '@nestjs/common';
import { didClaimRequest, type DidDocument } from '@ssb/bus';
import type { Did } from '@ssb/identity';
import { DidDocuments } from '../did-documents.js';
import { Caller } from './bearer.js';
import { parse } from './parse.js';
import { didPath } from './requests.js';

@Controller('did')
export class DidController {
  constructor(@Inject(DidDocuments) private readonly documents: DidDocuments) {}

  /** The caller's own, whoever issued the claim: nobody writes into another's document. */
  @Post('claim')
  @HttpCode(200)
  add(@Caller() caller: Did, @Body() body: unknown): Promise<DidDocument> {
    return this.documents.add(caller, parse(didClaimRequest, body).token);
  }

  @Get(':did')
  show(@Param() path: unknown): Promise<DidDocument> {
    return this.documents.show(parse(didPath, path).did);
  }
}
