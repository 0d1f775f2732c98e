#!/usr/bin/perl
# Perl clients: `perl clients.pl lwp` does one task with LWP. None of them has retries of
# its own, and all settings are the defaults. Each one gets the URL, and for a POST the
# body.

use strict;
use warnings;
use JSON::PP;

my %clients = (
    'http-tiny' => sub {
        my ($url, $body) = @_;
        require HTTP::Tiny;
        my $client   = HTTP::Tiny->new;
        my %post     = (headers => { 'Content-Type' => 'application/json' }, content => $body);
        my $response = $body ? $client->post($url, \%post) : $client->get($url);
        die $response->{content} if $response->{status} == 599;
        return ($response->{status}, $response->{headers}{'retry-after'}, $response->{content});
    },
    lwp => sub {
        my ($url, $body) = @_;
        require LWP::UserAgent;
        my $client = LWP::UserAgent->new;
        my @post   = ('Content-Type' => 'application/json', Content => $body);
        my $response = $body ? $client->post($url, @post) : $client->get($url);
        # LWP makes a response of its own if none came.
        die $response->status_line if ($response->header('Client-Warning') // '') eq 'Internal response';
        return ($response->code, scalar $response->header('Retry-After'), $response->content);
    },
    mojo => sub {
        my ($url, $body) = @_;
        require Mojo::UserAgent;
        my $client   = Mojo::UserAgent->new;
        my @post     = ({ 'Content-Type' => 'application/json' }, $body);
        my $response = ($body ? $client->post($url, @post) : $client->get($url))->result;
        return ($response->code, $response->headers->header('Retry-After'), $response->body);
    },
);

my $body    = $ENV{LAB_TASK} eq 'post-once' ? '{"task": "resize"}' : undef;
my $printed = eval {
    my ($status, $after, $text) = $clients{ $ARGV[0] }->($ENV{LAB_URL}, $body);
    my $seconds = ($after // '') =~ /^\d+$/ ? $after + 0 : undef;
    $status == 200    ? decode_json($text)
      : $status < 400 ? { status => $status + 0 }
      :   { error => 'refused', status => $status + 0, retry_after => $seconds };
} || { error => "$@" };
print encode_json($printed), "\n";
exit(exists $printed->{error} ? 1 : 0);
