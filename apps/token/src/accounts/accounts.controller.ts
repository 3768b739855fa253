import { Body, Controller, Get, Header, HttpCode, Post, Query, Res, UseGuards } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { parseScopes } from '../domain/scopes.js';
import {
  type AccountListResponse,
  type AccountResponse,
  type AccountView,
  ClientIdDto,
  CreateAccountDto,
  ListAccountsDto,
  RotateSecretDto,
  toAccountResponse,
  toAccountView,
} from './accounts.dto.js';
import { AccountsService } from './accounts.service.js';
import { AdminGuard } from './admin.guard.js';

/** The admin API. Client ids are in bodies, because a path would have to encode them. */
@Controller('admin/v1/accounts')
@UseGuards(AdminGuard)
export class AccountsController {
  constructor(private readonly accounts: AccountsService) {}

  /** 201 for a new account, 200 for one that was replaced or kept. */
  @Post()
  @Header('cache-control', 'no-store')
  async create(
    @Body() { clientId, scopes, bound, secret, ifExists }: CreateAccountDto,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<AccountResponse> {
    const options = { clientId, scopes: parseScopes(scopes.join(' ')), bound, secret, ifExists };
    const { outcome, ...result } = await this.accounts.create(options);
    void reply.status(outcome === 'created' ? 201 : 200);
    return toAccountResponse(outcome, result);
  }

  @Get()
  @Header('cache-control', 'no-store')
  async list(@Query() { after, limit }: ListAccountsDto): Promise<AccountListResponse> {
    const { accounts, next } = await this.accounts.list(after, limit);
    return { accounts: accounts.map(toAccountView), ...(next !== undefined && { next }) };
  }

  @Post('rotate')
  @HttpCode(200)
  @Header('cache-control', 'no-store')
  async rotate(@Body() { clientId, secret, graceSeconds }: RotateSecretDto): Promise<AccountResponse> {
    return toAccountResponse('rotated', await this.accounts.rotate(clientId, secret, graceSeconds));
  }

  @Post('disable')
  @HttpCode(200)
  @Header('cache-control', 'no-store')
  async disable(@Body() { clientId }: ClientIdDto): Promise<AccountView> {
    return toAccountView(await this.accounts.disable(clientId));
  }

  @Post('enable')
  @HttpCode(200)
  @Header('cache-control', 'no-store')
  async enable(@Body() { clientId }: ClientIdDto): Promise<AccountView> {
    return toAccountView(await this.accounts.enable(clientId));
  }
}
