import Bridge
import OAuth2
import Testing

@testable import BridgeHTTP

/// The words of the VA's service (docs/va-sign-in.md).
@Suite struct CompatibleErrorTests {
    @Test(arguments: [
        OAuthError(
            .invalidRequest, "the subject token cannot be verified",
            detail: BearerRefusal.Reason.missingClaim.rawValue),
        OAuthError(.accessDenied, "the approval has ended", detail: .subjectDisabled),
        OAuthError(.invalidGrant, "Code is not valid", detail: .sessionEnded),
        OAuthError(.invalidClient, "client authentication failed", detail: .missingProof),
    ])
    func `a reason that looks like a missing parameter or an exchange's flaw keeps its own words`(error: OAuthError) {
        #expect(CompatibleError.text(of: error) == error.publicDescription)
    }

    @Test func `an exchange's flaws have that service's sentences`() {
        func text(_ flaw: NativeSSORefusal) -> String {
            CompatibleError.text(of: OAuthError(flaw.code, flaw.publicDescription, detail: flaw.rawValue))
        }
        #expect(text(.sessionEnded) == "subject token is invalid")
        #expect(text(.subjectDisabled) == "subject token is invalid")
        #expect(text(.secretReplayed) == "actor token is invalid")
        #expect(text(.consentNeeded) == NativeSSORefusal.consentNeeded.publicDescription)
    }

    @Test func `every parameter that can be missing is named`() {
        let exceptions: [RefusalReason] = [.missingProof, .missingClientID]
        let missing = RefusalReason.allCases.filter { $0.rawValue.hasPrefix("missing_") && !exceptions.contains($0) }
        for reason in missing {
            let name = reason.rawValue.dropFirst("missing_".count).split(separator: "_").joined(separator: " ")
            let expected = "\(name.prefix(1).uppercased())\(name.dropFirst()) can't be blank"
            #expect(CompatibleError.text(of: OAuthError(.invalidRequest, detail: reason)) == expected)
        }
    }
}
