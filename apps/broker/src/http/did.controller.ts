import { Body, Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import type { DidDocument } from '@ssb/bus';
import type { Did } from '@ssb/identity';
import { DidDocuments } from '../did-documents.js';
import { Caller } from './bearer.js';
import { DidClaimDto, DidPathDto } from './did.dto.js';

@Controller('did')
export class DidController {
  constructor(private readonly documents: DidDocuments) {}

  /** The caller's own, whoever issued the claim: nobody writes into another's document. */
  @Post('claim')
  @HttpCode(200)
  add(@Caller() caller: Did, @Body() { token }: DidClaimDto): Promise<DidDocument> {
    return this.documents.add(caller, token);
  }

  @Get(':did')
  show(@Param() { did }: DidPathDto): Promise<DidDocument> {
    return this.documents.show(did);
  }
}
