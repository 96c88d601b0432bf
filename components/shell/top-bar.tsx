import { Suspense } from 'react';
import { BrowserNotices } from '../alerts/browser-notices';
import { IntentLink } from '../ui/intent-link';
import { AccountMenu } from './account-menu';
import { LiveBadge } from './live-badge';
import { NarrowMenu, NarrowTitle, Nav } from './nav';
import { SearchBox } from './search-box';
import { HelpButton, PaletteKey, ThemeButton } from './shell-buttons';
import { ShellDialogs } from './shell-dialogs';

/** @param isMac the viewer's keyboard has a ⌘ */
export function TopBar({ isMac }: { isMac: boolean }) {
  const commandKey = isMac ? '⌘K' : 'Ctrl K';
  return (
    <header className="page-x wide-type relative flex h-[48px] items-center border-b border-hair">
      <IntentLink
        href="/"
        className="mr-[9px] flex items-center gap-[9px] md:mr-[20px] xl:mr-[36px]"
        aria-label="Barograph, the fleet"
      >
        <Logo />
        <span className="hidden font-medium md:inline">Barograph</span>
      </IntentLink>
      <NarrowTitle />
      <Nav />
      <div className="ml-auto flex items-center gap-[20px] md:gap-[20px] xl:gap-[24px]">
        <Suspense>
          <SearchBox
            commandKey={commandKey}
            className="hidden w-[236px] max-xl:w-[176px] min-[1020px]:flex"
          />
        </Suspense>
        <LiveBadge />
        <div className="hidden items-center gap-[14px] md:flex">
          <PaletteKey commandKey={commandKey} className="min-[1020px]:hidden" />
          <HelpButton />
          <ThemeButton />
          <AccountMenu />
        </div>
        <Suspense>
          <NarrowMenu>
            <PaletteKey commandKey={commandKey} />
            <ThemeButton />
            <AccountMenu />
          </NarrowMenu>
        </Suspense>
      </div>
      <BrowserNotices />
      <ShellDialogs commandKey={commandKey} />
    </header>
  );
}

/** A page before the log-in. */
export function PlainPage({ children }: { children: React.ReactNode }) {
  return (
    <>
      <header className="page-x wide-type flex h-[48px] items-center gap-[9px] border-b border-hair font-medium">
        <Logo /> Barograph
      </header>
      <main id="content" tabIndex={-1} className="mx-auto max-w-[468px] outline-none">
        {children}
      </main>
    </>
  );
}

function Logo() {
  return (
    <svg width="20" height="14" viewBox="0 0 20 14" fill="none" stroke="currentColor" aria-hidden="true">
      <path d="M.5 12.3h4V9.2h3.4V6h3V1.7h2.6" strokeWidth="1.7" />
      <path d="M13.6 3v8" strokeWidth="1.1" strokeDasharray="1.2 1.5" />
      <path d="M13.6 12.3h3V9.5H20" strokeWidth="1.7" />
    </svg>
  );
}
