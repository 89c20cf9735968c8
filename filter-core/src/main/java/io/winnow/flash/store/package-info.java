/** Types that users of each structure on flash meet: durability, numbers and damaged pages. */
package io.winnow.flash.store;
