import type { DynamicModule } from '@nestjs/common';
import { ManageAccounts } from '../accounts/manage-accounts.js';
import { AccountsController } from './accounts.controller.js';
import { ADMIN_SECRET, AdminGuard } from './admin-guard.js';

class AdminModule {}

/** The admin door, a port of its own. */
export function adminModule(accounts: ManageAccounts, secret: Buffer): DynamicModule {
  return {
    module: AdminModule,
    controllers: [AccountsController],
    providers: [
      { provide: ManageAccounts, useValue: accounts },
      { provide: ADMIN_SECRET, useValue: secret },
      AdminGuard,
    ],
  };
}
