import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import type { VerifySignatureSuccess } from '@ssb/bus';
import { Gateway } from '../gateway.js';
import { VerifySignatureDto } from './signature.dto.js';

/** Document 002, `/api/v1/verifysignature`. */
@Controller('api/v1/verifysignature')
export class SignatureController {
  constructor(private readonly gateway: Gateway) {}

  @Post()
  @HttpCode(200)
  verify(@Body() request: VerifySignatureDto): VerifySignatureSuccess {
    return this.gateway.verify(request);
  }
}
