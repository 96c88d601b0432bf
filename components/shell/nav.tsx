'use client';
import { usePathname } from 'next/navigation';
import { IntentLink } from '../ui/intent-link';
import { activeNavItem, NAV_ITEMS } from './nav-items';

/** The bar's links; the active one carries a rule on the bar's bottom edge. */
export function Nav() {
  const active = activeNavItem(usePathname());
  return (
    <nav aria-label="Pages" className="hidden h-full gap-[16px] md:flex xl:gap-[24px]">
      {NAV_ITEMS.map(({ href, name }) => (
        <IntentLink
          key={href}
          href={href}
          aria-current={active === href ? 'page' : undefined}
          className={`-mb-px flex h-[48px] items-center border-b-[1.5px] ${
            active === href
              ? 'border-ink font-medium text-ink'
              : 'border-transparent text-ink2 hover:text-ink'
          }`}
        >
          {name}
        </IntentLink>
      ))}
    </nav>
  );
}
