import { Body, Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import type { DidDocument } from '@ssb/bus';
import { isDid, type Did } from '@ssb/identity';
import { IsTextThat } from '@ssb/platform/request-dto';
import { SignedTokenDto } from '../roles/role.controller.js';
import { Caller } from './bearer-authentication.js';
import { DidDocumentService } from './did-document.service.js';

const MAX_DID_LENGTH = 255;

export class DidPathDto {
  @IsTextThat(
    (text) => text.length <= MAX_DID_LENGTH && isDid(text),
    'must be a DID of the form did:<method>:<address>',
  )
  readonly did!: Did;
}

@Controller('did')
export class DidController {
  constructor(private readonly documents: DidDocumentService) {}

  /** Adds an approved role to the caller's DID document. `token` is the issuer's signed approval. */
  @Post('claim')
  @HttpCode(200)
  addRole(@Caller() caller: Did, @Body() { token }: SignedTokenDto): Promise<DidDocument> {
    return this.documents.addRole(caller, token);
  }

  @Get(':did')
  show(@Param() { did }: DidPathDto): Promise<DidDocument> {
    return this.documents.get(did);
  }
}
