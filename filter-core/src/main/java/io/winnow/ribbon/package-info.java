/**
 * Ribbon filters: a set as the solution of a linear system over GF(2).
 *
 * <p>{@link io.winnow.ribbon.RibbonSizing} makes homogeneous ones, which build fast; {@link
 * io.winnow.ribbon.BumpedRibbonSizing} makes bumped ones, which are smaller. How they work and how
 * the builds go: {@code docs/design/ribbon-build.md} and {@code docs/design/bumped-ribbon.md}.
 *
 * <p>Peter C. Dillinger and Stefan Walzer, "Ribbon filter: practically smaller than Bloom and Xor",
 * arXiv 2103.02515; Dillinger, Lorenz Hübschle-Schneider, Peter Sanders and Walzer, "Fast Succinct
 * Retrieval and Approximate Membership using Ribbon", arXiv 2109.01892.
 */
package io.winnow.ribbon;
