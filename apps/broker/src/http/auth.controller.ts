import { Body, Controller, HttpCode, Inject, Ip, Post } from '@nestjs/common';
import { loginRequest, type LoginSuccess } from '@ssb/bus';
import { AttemptBudget } from '../identity/attempt-budget.js';
import { Login } from '../identity/login.js';
import { parse } from './parse.js';
import { spendAttempt } from './spend-attempt.js';

@Controller('auth')
export class AuthController {
  constructor(
    @Inject(Login) private readonly logins: Login,
    @Inject(AttemptBudget) private readonly budget: AttemptBudget,
  ) {}

  @Post('login')
  @HttpCode(200)
  login(@Body() body: unknown, @Ip() address: string): Promise<LoginSuccess> {
    spendAttempt(this.budget, address);
    return this.logins.login(parse(loginRequest, body).identityToken);
  }
}
