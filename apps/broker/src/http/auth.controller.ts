import { Body, Controller, HttpCode, Post, UseGuards } from '@nestjs/common';
import type { LoginSuccess } from '@ssb/bus';
import { Login } from '../identity/login.js';
import { AttemptGuard } from './attempt.guard.js';
import { LoginDto } from './auth.dto.js';

@Controller('auth')
export class AuthController {
  constructor(private readonly logins: Login) {}

  @Post('login')
  @HttpCode(200)
  @UseGuards(AttemptGuard)
  login(@Body() { identityToken }: LoginDto): Promise<LoginSuccess> {
    return this.logins.login(identityToken);
  }
}
